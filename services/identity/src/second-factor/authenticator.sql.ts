import type { Database, Transaction } from '@coffer/kit/database/database'
import type { SealedSecret } from '@coffer/kit/secrets/secrets'
import { sql } from 'slonik'
import { z } from 'zod'
import { tellLogin } from '../book/login.sql.ts'

/** The TOTP authenticator of a login. Its encrypted seed has the login ID as associated data. */
const Authenticator = z.object({
  keyId: z.string(),
  dataKey: z.instanceof(Buffer),
  ciphertext: z.instanceof(Buffer),
  isEnabled: z.boolean(),
  /** Time step (RFC 6238) of the last accepted code; 0 before the first. */
  lastStep: z.bigint(),
})
type Authenticator = z.infer<typeof Authenticator>

/** Returns the authenticator of a login, enabled or not; null if none was set up. */
export async function findAuthenticator(
  { pool }: Database,
  loginId: string,
): Promise<Authenticator | null> {
  return pool.maybeOne(sql.type(Authenticator)`
    SELECT key_id AS "keyId", data_key AS "dataKey", ciphertext,
      enabled_at IS NOT NULL AS "isEnabled", last_step AS "lastStep"
    FROM authenticators WHERE login_id = ${loginId}`)
}

/** Returns whether the login has an enabled authenticator, so that sign-ins require a code. */
export async function hasAuthenticator(tx: Transaction, loginId: string): Promise<boolean> {
  return tx.exists(sql.unsafe`
    SELECT FROM authenticators WHERE login_id = ${loginId} AND enabled_at IS NOT NULL`)
}

/** Stores an encrypted seed; returns false, storing nothing, if an authenticator is enabled. */
export async function saveAuthenticator(
  tx: Transaction,
  loginId: string,
  { seed, now }: { seed: SealedSecret; now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    INSERT INTO authenticators AS known (login_id, key_id, data_key, ciphertext, created_at)
    VALUES (${loginId}, ${seed.keyId}, ${sql.binary(seed.dataKey)}, ${sql.binary(seed.ciphertext)},
      ${sql.timestamp(now)})
    ON CONFLICT (login_id) DO UPDATE SET key_id = excluded.key_id, data_key = excluded.data_key,
      ciphertext = excluded.ciphertext, created_at = excluded.created_at
    WHERE known.enabled_at IS NULL`)
  return rowCount === 1
}

/**
 * Enables the authenticator and consumes the time step of the code that confirmed its seed. Returns
 * false if `seed` is no longer the stored seed, or the authenticator is enabled or deleted.
 */
export async function enableAuthenticator(
  tx: Transaction,
  loginId: string,
  { seed, step, now }: { seed: SealedSecret; step: number; now: Date },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE authenticators SET enabled_at = ${sql.timestamp(now)}, last_step = ${step}
    WHERE login_id = ${loginId} AND enabled_at IS NULL AND last_step < ${step}
      AND ciphertext = ${sql.binary(seed.ciphertext)}`)
  if (rowCount === 1) await tellLogin(tx, loginId)
  return rowCount === 1
}

/** Deletes the authenticator; ON DELETE CASCADE deletes its recovery codes. */
export async function deleteAuthenticator(tx: Transaction, loginId: string): Promise<void> {
  await tx.query(sql.unsafe`DELETE FROM authenticators WHERE login_id = ${loginId}`)
  await tellLogin(tx, loginId)
}

/** Consumes a TOTP time step; returns false if that step or a later one was consumed before. */
export async function consumeTimeStep(
  tx: Transaction,
  loginId: string,
  step: number,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE authenticators SET last_step = ${step}
    WHERE login_id = ${loginId} AND enabled_at IS NOT NULL AND last_step < ${step}`)
  return rowCount === 1
}

const Count = z.object({ count: z.number() })

/** Returns the number of recovery codes of a login that were not used yet. */
export async function countRecoveryCodes({ pool }: Database, loginId: string): Promise<number> {
  return pool.oneFirst(sql.type(Count)`
    SELECT count(*)::int AS count FROM recovery_codes WHERE login_id = ${loginId}`)
}

/** Returns whether a login has this unused recovery code; `consumeRecoveryCode` consumes it. */
export async function hasRecoveryCode(
  { pool }: Database,
  loginId: string,
  codeHash: Buffer,
): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM recovery_codes
    WHERE login_id = ${loginId} AND code_hash = ${sql.binary(codeHash)}`)
}

/** Consumes a recovery code; returns false if it is unknown, or no authenticator is enabled. */
export async function consumeRecoveryCode(
  tx: Transaction,
  loginId: string,
  codeHash: Buffer,
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    DELETE FROM recovery_codes USING authenticators
    WHERE recovery_codes.login_id = ${loginId} AND code_hash = ${sql.binary(codeHash)}
      AND authenticators.login_id = recovery_codes.login_id AND enabled_at IS NOT NULL`)
  if (rowCount === 1) await tellLogin(tx, loginId)
  return rowCount === 1
}

/** Replaces all recovery codes of the login by the codes with the given hashes. */
export async function replaceRecoveryCodes(
  tx: Transaction,
  loginId: string,
  codeHashes: readonly Buffer[],
): Promise<void> {
  await tx.query(sql.unsafe`DELETE FROM recovery_codes WHERE login_id = ${loginId}`)
  await tx.query(sql.unsafe`
    INSERT INTO recovery_codes (login_id, code_hash)
    SELECT ${loginId}, * FROM ${sql.unnest(
      codeHashes.map((hash) => [hash]),
      ['bytea'],
    )} AS code`)
}
