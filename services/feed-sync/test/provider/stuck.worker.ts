import { readAnswer } from '../../src/provider/feed-answer.ts'

/** Parses an answer like the service's worker. Blocks for a minute if it begins with a blank. */
export function run({ body, kind }: { body: Uint8Array; kind: 'transactions' }): unknown {
  if (body[0] === 0x20) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
  return readAnswer(body, kind)
}
