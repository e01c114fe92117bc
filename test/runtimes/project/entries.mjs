// The package's entries, and what each host runs on them.
export * as main from "blake-simd";
export * as bao from "blake-simd/bao";
export * as hazmat from "blake-simd/hazmat";
export * as parallel from "blake-simd/parallel";
export * as states from "blake-simd/states";
export * as streams from "blake-simd/streams";
export * as typed from "blake-simd/typed";
export { default as suite } from "./suite.json.mjs";
