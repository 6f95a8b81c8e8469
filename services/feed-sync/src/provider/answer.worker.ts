import { type AnswerKind, type AnswerTask, type FeedAnswers, readAnswer } from './feed-answer.ts'

/** Entry point of the worker thread: parsing a large answer would block the event loop. */
export function run({
  body,
  kind,
  feedId,
}: AnswerTask): FeedAnswers[AnswerKind] | null | 'too-large' {
  return readAnswer(body, kind, feedId)
}
