import { type AnswerKind, type FeedAnswers, readAnswer } from './feed-answer.ts'

/** Entry point of the worker thread: parsing a large answer would block the event loop. */
export function run({
  body,
  kind,
}: {
  body: Uint8Array
  kind: AnswerKind
}): FeedAnswers[AnswerKind] | null | 'too-large' {
  return readAnswer(body, kind)
}
