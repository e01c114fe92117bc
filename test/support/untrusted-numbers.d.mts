export const rows: readonly {
  readonly name: string;
  readonly number: number;
  /** What the result must match. */
  readonly right: string;
}[];
