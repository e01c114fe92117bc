/** One thing that is exported, or a member of it. Texts are as the docstring has them, empty if it says nothing. */
export interface Documented {
  readonly name: string;
  readonly kind: "function" | "class" | "interface" | "type" | "value" | "method" | "property";
  /** The type of a property or a value. */
  readonly type: string;
  /** One for each overload. */
  readonly signatures: readonly string[];
  readonly summary: string;
  readonly returns: string;
  readonly throws: string;
  readonly parameterCount: number;
  readonly parameters: readonly { readonly name: string; readonly text: string }[];
  readonly examples: readonly string[];
}

export interface Exported extends Documented {
  /** Whether it can only be used as a type, though it is a class. */
  readonly typeOnly: boolean;
  readonly members: readonly Documented[];
}

export interface Entry {
  readonly name: string;
  readonly exports: readonly Exported[];
}

export function readInterface(): Entry[];
