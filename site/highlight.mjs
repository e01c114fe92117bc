// Code as coloured HTML, in pages and in the playground.
export const escaped = (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const KEYWORDS =
  "async|await|break|class|const|continue|declare|default|else|export|extends|for|from|function|if|import|in|interface|let|new|of|readonly|return|static|throw|try|catch|type|typeof|while|yield|true|false|null|undefined";
const TOKENS = new RegExp(
  String.raw`(?<comment>\/\/.*|\/\*[\s\S]*?\*\/)|(?<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\`(?:\\.|[^\`\\])*\`)|(?<keyword>\b(?:${KEYWORDS})\b)|(?<number>\b\d[\d_.]*n?\b)`,
  "g",
);

/** Code as HTML, with comments, strings, keywords and numbers marked. */
export function highlighted(code) {
  let html = "";
  let at = 0;
  for (const match of code.matchAll(TOKENS)) {
    const [kind] = Object.entries(match.groups).find(([, text]) => text !== undefined);
    html += `${escaped(code.slice(at, match.index))}<span class="${kind}">${escaped(match[0])}</span>`;
    at = match.index + match[0].length;
  }
  return html + escaped(code.slice(at));
}
