import { newId } from '@coffer/kit/values/id'
import type { Recorder, Take } from '../examples/recorder.ts'
import { findOperation } from '../harness/answer-check.ts'
import { type Answer, type CallOptions, call } from '../harness/person.ts'
import { type Fault, observeRequest } from './observed-request.ts'

/** An answer with an error to a request that had committed a change. */
interface Violation {
  operation: string
  status: number
  /** The step that failed. */
  failed: string
  /** Tables that the request had changed. */
  changed: string[]
}

/** The requests of one or several recorders. */
export interface Tally {
  /** Operations that succeeded. */
  succeeded: Set<string>
  /** Number of requests that met the fault. */
  faults: number
  violations: Violation[]
}

/**
 * Operations whose request may be answered with 503 or 504 after a change, with the reason. The
 * request sent again has to succeed.
 */
const takenBack: Record<string, string> = {
  createSpending: 'the plan whose envelope was not created is deleted again',
  deleteSpending: 'the mark of a plan whose envelope was not closed expires',
  endGrace: 'the money is free to use, and the request repeated completes it without another row',
  skipSpending: 'the date is journaled, and the request repeated completes it without another row',
}

/** Operations that a server continues by itself after an error: another test is about them. */
const continued = ['createAggregatorLink', 'updateAggregatorLink']

interface Request extends CallOptions {
  method: string
  path: string
}

/**
 * Returns a function that creates a recorder which records nothing: each of its requests meets the
 * fault, if it takes so many steps after its first commit. A request that was answered with an
 * error is sent again without a fault, so that later requests find its result.
 */
export function createFaultyRecorder(fault: Fault, tally: Tally) {
  return (baseUrl: string): Recorder => ({
    as: (credential) => createTake({ baseUrl, credential, fault, tally }),
    refuse: async () => undefined,
    addRefusal: () => undefined,
    recorded: () => ({ operations: {}, parameters: {}, refusals: [] }),
  })
}

function createTake(of: {
  baseUrl: string
  credential: Record<string, string>
  fault: Fault
  tally: Tally
}): Take {
  const { baseUrl, credential, fault, tally } = of
  return async (
    method,
    path,
    { name: _name, summary: _summary, isShown: _shown, ...sent } = {},
  ) => {
    const request = { ...sent, method, path, headers: { ...credential, ...sent.headers } }
    const { operationId } = findOperation(method, `/api${path.split('?')[0]}`)
    const met = continued.includes(operationId) ? null : fault
    const { answer, failed, changed } = await sendObserved(baseUrl, request, met)
    if (failed !== null) tally.faults += 1
    let success = answer
    if (!isSuccess(request, answer)) {
      const { status } = answer
      if (failed === null) throw unexpected(operationId, answer)
      const isAllowed = [503, 504].includes(status) && operationId in takenBack
      if (!isAllowed) tally.violations.push({ operation: operationId, status, failed, changed })
      success = (await sendObserved(baseUrl, request, null)).answer
      if (!isSuccess(request, success)) throw unexpected(`${operationId}, repeated`, success)
    }
    tally.succeeded.add(operationId)
    return success
  }
}

/** Sends a request that meets the fault. Returns the step that failed, and the changed tables. */
export async function sendObserved(baseUrl: string, request: Request, fault: Fault | null) {
  const { method, path, ...sent } = request
  const requestId = newId('req')
  const observed = observeRequest(requestId, fault)
  const headers = { ...sent.headers, 'x-request-id': requestId }
  const answer = await call(baseUrl, method, path, { ...sent, headers })
  observed.isOver = true
  const { failed, changed } = observed
  return { answer, failed, changed }
}

/** Whether the document has the status as one of the operation's own answers, not as a refusal. */
function isSuccess({ method, path }: Request, { status }: Answer): boolean {
  const { responses } = findOperation(method, `/api${path.split('?')[0]}`)
  return responses[status] !== undefined && responses[status].$ref === undefined
}

function unexpected(what: string, { status, body }: Answer): Error {
  return new Error(`${what}: ${status} ${JSON.stringify(body)}`)
}
