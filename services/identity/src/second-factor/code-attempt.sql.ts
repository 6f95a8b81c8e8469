import type { Database, Transaction } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import {
  type CodeAttempts,
  type CodePurpose,
  codesPerWindow,
  failuresMax,
  windowMinutes,
} from './code-limit.ts'

const Counted = z.object({ failures: z.number(), attempts: z.number(), endsAt: z.date() })

/**
 * Counts a code before it is checked, in one statement, so that concurrent codes cannot exceed the
 * limits (docs/sign-in.md#wrong-codes). A code beyond a limit, which is not checked, does not count
 * as a failure. Returns null without an enabled authenticator: no code is valid then.
 */
export async function countCode(
  { pool }: Pick<Database, 'pool'>,
  { loginId, purpose, now }: { loginId: string; purpose: CodePurpose; now: Date },
): Promise<CodeAttempts | null> {
  const at = sql.timestamp(now)
  const isOver = sql.fragment`known.ends_at <= ${at}`
  const isChecked = sql.fragment`(known.failures < ${failuresMax}
    AND (${isOver} OR known.attempts < ${codesPerWindow}))`
  const windows = sql.array(windowMinutes, 'int4')
  const minutes = sql.fragment`(${windows})[least(known.failures / ${codesPerWindow} + 1,
    ${windowMinutes.length})]`
  const endOf = (length: typeof minutes) => sql.fragment`${at} + make_interval(mins => ${length})`
  return pool.maybeOne(sql.type(Counted)`
    INSERT INTO code_attempts AS known (login_id, purpose, failures, attempts, ends_at)
    SELECT login_id, ${purpose}, 1, 1, ${endOf(sql.fragment`(${windows})[1]`)}
    FROM authenticators WHERE login_id = ${loginId} AND enabled_at IS NOT NULL
    ON CONFLICT (login_id, purpose) DO UPDATE SET
      failures = CASE WHEN ${isChecked} THEN known.failures + 1 ELSE known.failures END,
      attempts = CASE WHEN NOT ${isChecked} THEN ${codesPerWindow + 1}
        WHEN ${isOver} THEN 1 ELSE known.attempts + 1 END,
      ends_at = CASE WHEN ${isOver} THEN ${endOf(minutes)} ELSE known.ends_at END
    RETURNING failures, attempts, ends_at AS "endsAt"`)
}

/** Deletes the failures of one purpose, after a valid code. */
export async function deleteCodeAttempts(
  tx: Transaction,
  loginId: string,
  purpose: CodePurpose,
): Promise<void> {
  await tx.query(sql.unsafe`
    DELETE FROM code_attempts WHERE login_id = ${loginId} AND purpose = ${purpose}`)
}

/** Unlocks the codes of a login, for all purposes. */
export async function unlockCodes(tx: Transaction, loginId: string): Promise<void> {
  await tx.query(sql.unsafe`DELETE FROM code_attempts WHERE login_id = ${loginId}`)
}
