import { digests } from "../../hello.mjs";

export const dynamic = "force-dynamic";
export const GET = () => Response.json(digests());
