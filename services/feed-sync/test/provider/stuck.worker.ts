import { readAnswer } from '../../src/provider/feed-answer.ts'

/** Parses an answer like the service's worker, but loops forever if it begins with a blank. */
export function run({ body, kind }: { body: Uint8Array; kind: 'transactions' }): unknown {
  while (body[0] === 0x20);
  return readAnswer(body, kind)
}
