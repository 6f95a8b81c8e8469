import { refused } from '@coffer/kit/rpc/errors'
import { z } from 'zod'

/** The text of a fault, which `detail` completes, and advice for the user. */
type Words = [textOf: (detail: string) => string, advice: string]

/**
 * Texts of a service's faults by code; codes never change. `endSync` sets the two codes named here.
 */
export type FaultTable = Record<string, Words> & Record<'internal' | 'rate-limited', Words>

/** Reason why a provider could not be read. */
export interface Fault<Code extends string> {
  code: Code
  /** Completes the text of the code: a status, a quote of the provider without secrets. */
  detail: string
  /** Pause that the provider asks for, in ms, at most 24 hours; null if it asks for none. */
  retryAfterMs: number | null
}

/**
 * Returns the schema of a table's codes, and functions for its faults. `statusOf`: HTTP status of
 * the error of a fault.
 */
export function createFaults<Table extends FaultTable>(
  table: Table,
  statusOf: (code: keyof Table & string) => number,
) {
  type Code = keyof Table & string
  const FaultCode = z.literal(Object.keys(table) as Code[])
  const Fault = z.object({
    code: FaultCode,
    detail: z.string(),
    retryAfterMs: z.number().nullable(),
  })
  /** Returns the text of a fault, and advice for the user. */
  const describeFault = ({ code, detail }: { code: Code; detail: string }) => {
    const [textOf, advice] = table[code] as Words
    return { text: textOf(detail), advice }
  }
  return {
    FaultCode,
    describeFault,
    /** Creates the error of a fault with its text; `faultOf` returns the fault again. */
    failureOf: (
      code: Code,
      { detail = '', retryAfterMs = null }: Partial<Fault<Code>> = {},
    ): Error => {
      const error = refused(describeFault({ code, detail }).text, { status: statusOf(code) })
      error.cause = { code, detail, retryAfterMs } satisfies Fault<Code>
      return error
    },
    /** Returns the fault of an error of `failureOf`, null for other errors. */
    faultOf: (error: unknown): Fault<Code> | null =>
      Fault.safeParse(Object(error).cause).data ?? null,
  }
}
