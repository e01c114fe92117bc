export interface Body {
  parameters: number;
  locals: number[];
  instructions: { op: number; index?: number; bytes: Buffer; at: number }[];
}
export function readCode(bytes: Buffer): { bodies: Body[] };
