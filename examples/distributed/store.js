// Where jobs and their results are kept: the URL in STORE, redis://... or postgres://...
import { createPostgresBackend, createRedisBackend, withBackend } from "bullmq";

const url = process.env.STORE ?? "redis://127.0.0.1:6379";
const isPostgres = url.startsWith("postgres");

export const { FlowProducer, Queue, Worker } = withBackend(isPostgres ? createPostgresBackend : createRedisBackend);
export const QUEUE = "blake3";
// In PostgreSQL, the first process creates the tables. With Redis, commands wait while it restarts, instead of failing
// after 20 attempts.
export const connection = isPostgres ? { connectionString: url, migrate: true } : { url, maxRetriesPerRequest: null };
