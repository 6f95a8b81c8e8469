import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { sql } from 'slonik'
import { z } from 'zod'
import { type Refusal, refused } from '../rpc/errors.ts'
import { isOutage } from '../rpc/fault.ts'
import { callerOf, headers } from '../rpc/rpc.ts'
import type { Database, Transaction } from './database.ts'

/** The request's Idempotency-Key, with what it is good for. */
export interface IdempotencyKey<Reply extends DescMessage = DescMessage> {
  accountId: string
  route: string
  key: string
  /** Of the request; of one that streams its handler sets it before it keeps the reply. */
  bodyHash: Buffer
  /** The message that answers the request. */
  reply: Reply
}

const Kept = z.object({ bodyHash: z.instanceof(Buffer), reply: z.instanceof(Buffer) })

/** A key is good for this long; then the request counts as new. */
export const keptForHours = 24

/**
 * Runs a write at most once for its key. `run` must store its reply with `keepReply` (or, among
 * other rows, as `keptReplies`) in the transaction of the write. A repeated request gets the first
 * reply; the same key with another body is refused with 422. Without a key it just runs.
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
    /** Of a request that streams, whose hash comes at its end. Reads what is left of it. */
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
    // The same request may have been done meanwhile: then its name is taken, or its key is.
    const first = isOutage(error) ? null : await findReply(database, key, hashed)
    if (!first) throw error
    return replay(context, first)
  }
}

/** Stores the reply under the key, in the transaction of the write. */
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

/** A reply as a row of idempotency_keys, for a write that saves several at once. */
export interface KeptReply {
  accountId: string
  route: string
  key: string
  bodyHash: Buffer
  reply: Buffer
}

/** The row of a reply, or none where the request had no key. */
export function keptReplies<Reply extends DescMessage>(
  key: IdempotencyKey<Reply> | null,
  reply: MessageShape<Reply>,
): KeptReply[] {
  return key ? [{ ...key, reply: Buffer.from(toBinary(key.reply, reply)) }] : []
}

/** Refuses a request whose key was first used with another body: 422. */
export function requireSameBody(first: Buffer, bodyHash: Buffer): void {
  if (!first.equals(bodyHash)) throw otherBody()
}

export function otherBody(): Refusal {
  return refused('the Idempotency-Key was used with another body', { status: 422 })
}

// The scope of a key is account, RPC and key (design 5).
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
