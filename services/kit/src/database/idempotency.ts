import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { sql } from 'slonik'
import { z } from 'zod'
import { type Refusal, refused } from '../rpc/errors.ts'
import { isOutage } from '../rpc/fault.ts'
import { callerOf, headers } from '../rpc/rpc.ts'
import type { Database, Transaction } from './database.ts'

/** The idempotency key of a request, with its scope: account and RPC. */
export interface IdempotencyKey<Reply extends DescMessage = DescMessage> {
  accountId: string
  route: string
  key: string
  /**
   * SHA-256 of the request body. The handler of a streaming request sets it before it stores the
   * reply.
   */
  bodyHash: Buffer
  /** Descriptor of the message that answers the request. */
  reply: Reply
}

const Kept = z.object({ bodyHash: z.instanceof(Buffer), reply: z.instanceof(Buffer) })

/** Lifetime of an idempotency key in hours; after it, a request with the key counts as new. */
export const keptForHours = 24

/**
 * Runs a write at most once for its idempotency key (docs/api.md#idempotency-key). `run` must store
 * its reply in the transaction of the write, with `keepReply` or as rows of `keptReplies`. A
 * repeated request gets the first reply. Without a key, `run` simply runs.
 *
 * @throws refused (422) when the key was used with another body
 */
export async function once<Reply extends DescMessage>(
  {
    database,
    context,
    reply,
    bodyHash,
  }: {
    database: Database
    context: HandlerContext
    reply: Reply
    /** Hash of a streaming request, known at its end: reads the rest of the stream. */
    bodyHash?: () => Promise<Buffer>
  },
  run: (key: IdempotencyKey<Reply> | null) => Promise<MessageShape<Reply>>,
): Promise<MessageShape<Reply>> {
  const key = idempotencyKeyOf(context, reply)
  if (!key) return run(null)
  const hashed = bodyHash ?? (async () => key.bodyHash)
  const kept = await findReply(database, key, hashed)
  if (kept) return replay(context, kept)
  try {
    return await run(key)
  } catch (error) {
    // A concurrent request with the same key may have committed first: then its key is stored.
    const first = isOutage(error) ? null : await findReply(database, key, hashed)
    if (!first) throw error
    return replay(context, first)
  }
}

/**
 * Stores the reply under the idempotency key, in the transaction of the write; nothing without a
 * key.
 */
export async function keepReply<Reply extends DescMessage>(
  tx: Transaction,
  key: IdempotencyKey<Reply> | null,
  reply: MessageShape<Reply>,
): Promise<void> {
  for (const kept of keptReplies(key, reply)) {
    await tx.query(sql.unsafe`
      INSERT INTO idempotency_keys (account_id, route, key, body_hash, reply)
      VALUES (${kept.accountId}, ${kept.route}, ${kept.key}, ${sql.binary(kept.bodyHash)},
        ${sql.binary(kept.reply)})`)
  }
}

/** A row of idempotency_keys, for a write that saves several rows in one statement. */
export interface KeptReply {
  accountId: string
  route: string
  key: string
  bodyHash: Buffer
  reply: Buffer
}

/** The row of a reply; empty when the request has no idempotency key. */
export function keptReplies<Reply extends DescMessage>(
  key: IdempotencyKey<Reply> | null,
  reply: MessageShape<Reply>,
): KeptReply[] {
  return key ? [{ ...key, reply: Buffer.from(toBinary(key.reply, reply)) }] : []
}

/** Throws refused (422) when the idempotency key was first used with another body. */
export function requireSameBody(first: Buffer, bodyHash: Buffer): void {
  if (!first.equals(bodyHash)) throw otherBody()
}

/** The refusal (422) of an idempotency key that is used with another body. */
export function otherBody(): Refusal {
  return refused('the Idempotency-Key was used with another body', { status: 422 })
}

// The scope of a key is account, RPC and key (docs/api.md#idempotency-key).
function idempotencyKeyOf<Reply extends DescMessage>(
  context: HandlerContext,
  reply: Reply,
): IdempotencyKey<Reply> | null {
  const key = context.requestHeader.get(headers.idempotencyKey)
  if (!key) return null
  const bodyHash = Buffer.from(context.requestHeader.get(headers.bodyHash) ?? '', 'hex')
  const { accountId } = callerOf(context)
  return { accountId, route: context.method.name, key, bodyHash, reply }
}

async function findReply<Reply extends DescMessage>(
  database: Database,
  { accountId, route, key, reply }: IdempotencyKey<Reply>,
  bodyHash: () => Promise<Buffer>,
): Promise<MessageShape<Reply> | null> {
  const kept = await database.pool.maybeOne(sql.type(Kept)`
    SELECT body_hash AS "bodyHash", reply FROM idempotency_keys
    WHERE account_id = ${accountId} AND route = ${route} AND key = ${key}`)
  if (!kept) return null
  requireSameBody(kept.bodyHash, await bodyHash())
  return fromBinary(reply, kept.reply)
}

function replay<Reply>(context: HandlerContext, reply: Reply): Reply {
  context.responseHeader.set(headers.replayed, 'true')
  return reply
}
