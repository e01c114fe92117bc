// Where jobs and their results are kept: the URL in STORE, redis://... or postgres://...
import { createPostgresBackend, createRedisBackend, withBackend } from "bullmq";

const url = process.env.STORE ?? "redis://127.0.0.1:6379";
const isPostgres = url.startsWith("postgres");

export const { FlowProducer, Queue, Worker } = withBackend(isPostgres ? createPostgresBackend : createRedisBackend);
export const QUEUE = "blake3";
// Commands wait while the store restarts, instead of failing after 20 attempts.
// PostgreSQL's tables are made by whoever comes first.
export const connection = isPostgres ? { connectionString: url, migrate: true } : { url, maxRetriesPerRequest: null };
