import { type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { type FragmentSqlToken, sql, UniqueIntegrityConstraintViolationError } from 'slonik'
import { z } from 'zod'
import type { Database, Transaction } from './database.ts'
import { refused } from './errors.ts'
import { callerOf, headers } from './rpc.ts'

/** The request's Idempotency-Key with what it is good for, or null where none was sent. */
export interface IdempotencyKey {
  accountId: string
  route: string
  key: string
  bodyHash: Buffer
}

const Kept = z.object({ bodyHash: z.instanceof(Buffer), reply: z.instanceof(Buffer) })

/** A key is good for this long; then the request counts as new. */
export const keptForHours = 24

/** Reads the key that the gateway passed on; the scope is account, RPC and key (design 5). */
export function idempotencyKeyOf(context: HandlerContext): IdempotencyKey | null {
  const key = context.requestHeader.get(headers.idempotencyKey)
  if (!key) return null
  return {
    accountId: callerOf(context).accountId,
    route: context.method.name,
    key,
    bodyHash: Buffer.from(context.requestHeader.get(headers.bodyHash) ?? '', 'hex'),
  }
}

/**
 * Runs a write at most once for its key. `run` must store its reply with `keepReply` (or as a CTE
 * with `insertReply`) in the transaction of the write. A repeated request gets the first reply; the
 * same key with another body is refused with 422. Without a key it just runs.
 */
export async function once<Desc extends DescMessage>(
  { database, context, reply }: { database: Database; context: HandlerContext; reply: Desc },
  run: (key: IdempotencyKey | null) => Promise<MessageShape<Desc>>,
): Promise<MessageShape<Desc>> {
  const key = idempotencyKeyOf(context)
  if (!key) return run(null)
  const kept = await findReply(database, reply, key)
  if (kept) return replay(context, kept)
  try {
    return await run(key)
  } catch (error) {
    if (!isTaken(error)) throw error
    const first = await findReply(database, reply, key)
    if (!first) throw error
    return replay(context, first)
  }
}

/** Stores the reply under the key, in the transaction of the write. */
export async function keepReply<Desc extends DescMessage>(
  tx: Transaction,
  key: IdempotencyKey | null,
  schema: Desc,
  reply: MessageShape<Desc>,
): Promise<void> {
  if (key) await tx.query(sql.unsafe`${insertReply(key, schema, reply)}`)
}

/** The statement of `keepReply` for use inside a larger one (as a CTE). */
export function insertReply<Desc extends DescMessage>(
  key: IdempotencyKey,
  schema: Desc,
  reply: MessageShape<Desc>,
): FragmentSqlToken {
  const bytes = Buffer.from(toBinary(schema, reply))
  return sql.fragment`
    INSERT INTO idempotency_keys (account_id, route, key, body_hash, reply)
    VALUES (${key.accountId}, ${key.route}, ${key.key}, ${sql.binary(key.bodyHash)},
      ${sql.binary(bytes)})`
}

async function findReply<Desc extends DescMessage>(
  database: Database,
  schema: Desc,
  key: IdempotencyKey,
): Promise<MessageShape<Desc> | null> {
  const kept = await database.pool.maybeOne(sql.type(Kept)`
    SELECT body_hash AS "bodyHash", reply FROM idempotency_keys
    WHERE account_id = ${key.accountId} AND route = ${key.route} AND key = ${key.key}`)
  if (!kept) return null
  if (!kept.bodyHash.equals(key.bodyHash)) {
    throw refused('the Idempotency-Key was used with another body', { status: 422 })
  }
  return fromBinary(schema, kept.reply)
}

function replay<Reply>(context: HandlerContext, reply: Reply): Reply {
  context.responseHeader.set(headers.replayed, 'true')
  return reply
}

function isTaken(error: unknown): boolean {
  return (
    error instanceof UniqueIntegrityConstraintViolationError &&
    error.constraint === 'idempotency_keys_pkey'
  )
}
