import {
  clone,
  type DescMessage,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { HandlerContext } from '@connectrpc/connect'
import { sql } from 'slonik'
import { z } from 'zod'
import { say } from '../reasons/reasons.ts'
import { type Refusal, refused } from '../rpc/errors.ts'
import { isOutage } from '../rpc/fault.ts'
import { callerOf, headers } from '../rpc/rpc.ts'
import type { Database, Transaction } from './database.ts'
import { insertOf } from './rows.ts'

/** A row of the table idempotency_keys: the stored reply to a request. */
export const KeptReply = z.object({
  accountId: z.string(),
  route: z.string(),
  key: z.string(),
  bodyHash: z.instanceof(Buffer),
  reply: z.instanceof(Buffer),
})
export type KeptReply = z.infer<typeof KeptReply>

/** The client's Idempotency-Key of a request; it is unique for each account and RPC. */
export interface IdempotencyKey<Reply extends DescMessage = DescMessage>
  extends Omit<KeptReply, 'reply'> {
  /** SHA-256 of the request body. Streaming requests set it before the reply is stored. */
  bodyHash: Buffer
  /** Protobuf descriptor of the reply, which decodes a stored reply. */
  reply: Reply
}

const Kept = KeptReply.pick({ bodyHash: true, reply: true })

/** Hours for which a reply is stored; a later request with the same key is a new request. */
export const keptForHours = 24

/** A reply, and the SHA-256 of the request that it answers. */
interface Answered {
  bodyHash: Buffer
  reply: unknown
}

/**
 * Running requests by database and idempotency key; the promise of a failed one resolves to null.
 */
const underWay = new WeakMap<Database, Map<string, Promise<Answered | null>>>()

interface Request<Reply extends DescMessage> {
  database: Database
  context: HandlerContext
  reply: Reply
  /** Reads a streaming request to its end; returns the SHA-256 of its body. */
  bodyHash?: () => Promise<Buffer>
}

type Run<Reply extends DescMessage, Key> = (key: Key) => Promise<MessageShape<Reply>>

/**
 * Runs a write at most once for its idempotency key; a repeated request gets the stored reply
 * (docs/api.md#idempotency-key). Without a key, only calls `run`. `run` must store the reply in the
 * transaction of the write: `keepReply`, or the rows of `keptReplies`. Singleflight: a request
 * waits for a running one with the same key, instead of doing the same work and failing by the
 * duplicate key. Streaming requests do not wait, because a stalled upload would delay its own
 * retry.
 * @throws refused (422) when the key was used with another request, or (409) when a former build of
 * the app sends a request (`headers.onlyReplay`) whose reply is not stored: its key is used up then
 */
export async function once<Reply extends DescMessage>(
  request: Request<Reply>,
  run: Run<Reply, IdempotencyKey<Reply> | null>,
): Promise<MessageShape<Reply>> {
  const { database, context, reply, bodyHash } = request
  const key = idempotencyKeyOf(context, reply)
  if (!key) return run(null)
  if (bodyHash) return runOrReplay(request, key, run)
  const requests = underWay.get(database) ?? new Map<string, Promise<Answered | null>>()
  underWay.set(database, requests)
  const id = JSON.stringify([key.accountId, key.route, key.key])
  for (let first = requests.get(id); first; first = requests.get(id)) {
    const answered = await first
    context.signal.throwIfAborted()
    if (!answered) continue
    requireSameRequest(answered.bodyHash, key.bodyHash)
    return replay(context, clone(reply, answered.reply as MessageShape<Reply>))
  }
  const running = runOrReplay(request, key, run).finally(() => requests.delete(id))
  const answered = running.then((reply) => ({ bodyHash: key.bodyHash, reply }))
  requests.set(
    id,
    answered.catch(() => null),
  )
  return running
}

async function runOrReplay<Reply extends DescMessage>(
  { database, context, bodyHash }: Request<Reply>,
  key: IdempotencyKey<Reply>,
  run: Run<Reply, IdempotencyKey<Reply>>,
): Promise<MessageShape<Reply>> {
  const hashed = bodyHash ?? (async () => key.bodyHash)
  const kept = await findReply(database, key, hashed)
  if (kept) return replay(context, kept)
  const isRefused = context.requestHeader.has(headers.onlyReplay)
  try {
    return await (isRefused ? useUp(database, key) : run(key))
  } catch (error) {
    // If another process has just committed a request with this key, returns its reply.
    const first = isOutage(error) ? null : await findReply(database, key, hashed)
    if (!first) throw error
    return replay(context, first)
  }
}

/** Hash in the row of a key that is used up: no request has it. */
const usedUp = Buffer.of(0)

/**
 * Uses up the key of a request that is refused: the same request may still run in another process,
 * and must not commit any more. Waits for it if its reply is inserted but not committed.
 */
async function useUp({ pool }: Database, key: IdempotencyKey): Promise<never> {
  const kept = { ...key, bodyHash: usedUp, reply: Buffer.alloc(0) }
  await pool.query(sql.unsafe`
    ${insertOf('idempotency_keys', KeptReply, kept)} ON CONFLICT DO NOTHING`)
  throw ofFormerBuild()
}

/** Stores the reply in the transaction of the write; does nothing without an idempotency key. */
export async function keepReply<Reply extends DescMessage>(
  tx: Transaction,
  key: IdempotencyKey<Reply> | null,
  reply: MessageShape<Reply>,
): Promise<void> {
  for (const kept of keptReplies(key, reply)) {
    await tx.query(sql.unsafe`${insertOf('idempotency_keys', KeptReply, kept)}`)
  }
}

/** Returns the row that stores a reply; an empty list when the request has no idempotency key. */
export function keptReplies<Reply extends DescMessage>(
  key: IdempotencyKey<Reply> | null,
  reply: MessageShape<Reply>,
): KeptReply[] {
  return key ? [{ ...key, reply: Buffer.from(toBinary(key.reply, reply)) }] : []
}

/** Throws refused (422) when two requests with one idempotency key have different hashes. */
export function requireSameRequest(first: Buffer, bodyHash: Buffer): void {
  if (!first.equals(bodyHash)) throw otherRequest()
}

/**
 * Returns the refusal (422) of an idempotency key that another request has used. Only the hash of
 * the first request is stored, so the text cannot say which part differs.
 */
export function otherRequest(): Refusal {
  const text = say('IDEMPOTENCY_KEY_USED')
  return refused(text, { status: 422 })
}

/** Returns the refusal (409) of a change that a former build of the app has sent. */
function ofFormerBuild(): Refusal {
  return refused(say('APP_OUTDATED'), { status: 409 })
}

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
  if (kept.bodyHash.equals(usedUp)) throw ofFormerBuild()
  requireSameRequest(kept.bodyHash, await bodyHash())
  return fromBinary(reply, kept.reply)
}

function replay<Reply>(context: HandlerContext, reply: Reply): Reply {
  context.responseHeader.set(headers.replayed, 'true')
  return reply
}
