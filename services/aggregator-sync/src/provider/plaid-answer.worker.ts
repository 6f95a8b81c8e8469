import type { PlaidMethod } from './call-limit.ts'
import { readAnswer } from './plaid-answer.ts'

/** Entry point of the worker thread: a page of 500 transactions would block the event loop. */
export function run({ body, kind }: { body: Uint8Array; kind: PlaidMethod }): unknown {
  return readAnswer(body, kind)
}
