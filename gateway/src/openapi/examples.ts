import { readFileSync } from 'node:fs'
import type { JsonSchema } from '../http/answers/answer.ts'

/** A recorded request to an operation, and the answer of a real server. */
export interface Example {
  /** Key in the examples of the operation, the same for request and answer. */
  name: string
  /** The case that the example shows, if the operation has several examples. */
  summary?: string
  /** Missing if the request has no JSON body. */
  request?: unknown
  status: number
  /** Missing if the answer has no JSON body. */
  answer?: unknown
}

/** A refusal in both formats of errors (docs/api/errors.md). */
export interface RefusalExample {
  /** Unique among the refusals of its status. */
  name: string
  summary: string
  status: number
  /** IDs of the operations that refused. */
  operations: string[]
  /**
   * Group of further operations that the example applies to (`refusalGroup`); undefined for none,
   * empty for all.
   */
  group?: string
  answer: unknown
  problemDetails: unknown
}

/** The examples of the OpenAPI document (docs/api/reference-page.md#examples). */
export interface Examples {
  /** By ID of the operation. */
  operations: Record<string, Example[]>
  /** Recorded parameters of path and query, by ID of the operation. */
  parameters: Record<string, Record<string, string>>
  refusals: RefusalExample[]
}

/** The file that `npm run examples` writes. */
export const examplesFile = new URL('gen/examples.json', import.meta.url)

let stored: Examples | undefined

/** Returns the recorded examples. The file is read once, for the first document. */
export function readExamples(): Examples {
  stored ??= JSON.parse(readFileSync(examplesFile, 'utf8')) as Examples
  return stored
}

/** Keys that bodies have only on a server with proof of work. */
const proofKeys = ['challenge', 'nonce']

/**
 * Returns the keyword `example` or `examples` with the recorded request bodies of an operation,
 * without the keys of a proof of work if the schema does not have them.
 */
export function requestExamples(id: string, { properties }: JsonSchema): JsonSchema {
  const isLeftOut = (key: string) => proofKeys.includes(key) && !(key in Object(properties))
  const sent = (readExamples().operations[id] ?? []).filter(({ request }) => request !== undefined)
  return examplesOf(
    sent.map(({ request, ...one }) => {
      const kept = Object.entries(request as JsonSchema).filter(([key]) => !isLeftOut(key))
      return { ...one, value: Object.fromEntries(kept) }
    }),
  )
}

/** Returns the keyword `example` or `examples` with the recorded answers of a status. */
export function answerExamples(id: string, status: number): JsonSchema {
  const recorded = readExamples().operations[id] ?? []
  const answered = recorded.filter((one) => one.status === status && one.answer !== undefined)
  return examplesOf(answered.map(({ answer, ...one }) => ({ ...one, value: answer })))
}

/** Returns the keyword `example` with a refusal in each format of errors; empty without one. */
export function refusalExample(
  refusal: RefusalExample | undefined,
): Record<'error' | 'problemDetails', JsonSchema> {
  const shown = refusal ? [refusal] : []
  return {
    error: examplesOf(shown.map((one) => ({ ...one, value: one.answer }))),
    problemDetails: examplesOf(shown.map((one) => ({ ...one, value: one.problemDetails }))),
  }
}

function examplesOf(all: { name: string; summary?: string; value: unknown }[]): JsonSchema {
  const [only] = all
  if (only === undefined) return {}
  // `example` instead of `examples`: for a list of one, the reference page would show a choice.
  if (all.length === 1 && only.summary === undefined) return { example: only.value }
  const named = all.map(({ name, summary, value }) => [
    name,
    summary === undefined ? { value } : { summary, value },
  ])
  return { examples: Object.fromEntries(named) }
}
