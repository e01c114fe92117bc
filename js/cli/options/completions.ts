// Shell completions, generated from the table of options.
import { type OptionSpec, visibleOptions } from "./table.js";

const SHELLS: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export const completionsFor = (shell: string): string => (SHELLS[shell] as () => string)();

function bash(): string {
  const cases = visibleOptions.flatMap(([name, spec]) => {
    if (spec.value === undefined) return [];
    const { choices } = spec;
    const short = spec.short === undefined ? "" : `|-${spec.short}`;
    const words = choices ? `COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$word"))` : wordsFor(spec);
    return [`    --${name}${short}) ${words}; return ;;`];
  });
  const names = visibleOptions.flatMap(([name, { short }]) => (short ? [`--${name}`, `-${short}`] : [`--${name}`]));
  return `# bash completion for blakesum
_blakesum() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]}
  case $before in
${cases.join("\n")}
  esac
  if [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "${names.join(" ")}" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _blakesum blakesum
`;
}

const wordsFor = ({ completes }: OptionSpec): string =>
  completes === "file" ? `COMPREPLY=($(compgen -f -- "$word"))` : "COMPREPLY=()";

function zsh(): string {
  const lines = visibleOptions.map(([name, spec]) => {
    const help = spec.help.replace(/[[\]:\\']/g, (character) => (character === "'" ? "'\\''" : `\\${character}`));
    const { choices } = spec;
    const action = choices ? `(${choices.join(" ")})` : spec.completes === "file" ? "_files" : "";
    const value = spec.value === undefined ? "" : `:${spec.value}:${action}`;
    const names = spec.short === undefined ? `'--${name}` : `'(-${spec.short} --${name})'{-${spec.short},--${name}}'`;
    return `  ${names}[${help}]${value}' \\`;
  });
  return `#compdef blakesum
_arguments -s -S \\
${lines.join("\n")}
  '*:file:_files'
`;
}

function fish(): string {
  const lines = visibleOptions.map(([name, spec]) => {
    const short = spec.short === undefined ? "" : ` -s ${spec.short}`;
    const { choices } = spec;
    const isPlain = spec.value !== undefined && !choices;
    const values = choices ? ` -x -a '${choices.join(" ")}'` : isPlain ? (spec.completes ? " -r" : " -x") : "";
    return `complete -c blakesum${short} -l ${name}${values} -d '${spec.help.replace(/[\\']/g, "\\$&")}'`;
  });
  return `# fish completion for blakesum\n${lines.join("\n")}\n`;
}
