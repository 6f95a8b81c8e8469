import type { Database, Transaction } from '@coffer/kit/database/database'
import { changeOf, emit } from '@coffer/kit/events/changes'
import { newId } from '@coffer/kit/values/id'
import { MailRequestedSchema } from '@coffer/proto/identity/v1/events'
import { sql } from 'slonik'
import { z } from 'zod'
import { EndingTrial, type LinkNotice, Mail, type MailKind, Recipient } from './mail.ts'

const Known = z.object({ mailId: z.string() })
const Owner = z.object({ email: z.string(), timezone: z.string() })

// Maximum number of queued mails: a flood of requests must not fill the database's disk.
const waitingMax = 10_000

/** A mail to queue; `link`, a bank link, is given for `link-expiring` and `link-broken`. */
export interface NewMail {
  kind: MailKind
  email: string
  /** Set if the address may differ from that of the login, before or after a change of address. */
  loginId?: string
  link?: LinkNotice
  /** Set for `webhook-failing` and `webhook-gone`. */
  webhookHost?: string
}

/** Queues a mail, which is sent after the commit. Returns false if the queue is full. */
export async function queueMail(
  tx: Transaction,
  { kind, email, loginId, link, webhookHost }: NewMail,
  now: Date,
): Promise<boolean> {
  const mailId = newId('mail')
  const { rowCount } = await tx.query(sql.unsafe`
    INSERT INTO mails
      (mail_id, kind, email, login_id, created_at, institution_name, consent_ends_at, timezone,
        webhook_host)
    SELECT ${mailId}, ${kind}, ${email}, ${loginId ?? null}, ${sql.timestamp(now)},
      ${link?.institutionName ?? null},
      ${link?.consentEndsAt?.toISOString() ?? null}::timestamptz, ${link?.timezone ?? null},
      ${webhookHost ?? null}
    WHERE (SELECT count(*) FROM (SELECT FROM mails LIMIT ${waitingMax}) AS waiting)
      < ${waitingMax}`)
  if (rowCount === 0) return false
  // The event names no account, because a mail belongs to an email address only.
  const subject = { accountId: '', entityId: mailId, version: 1n }
  await emit(tx, changeOf(MailRequestedSchema, subject, { mailId }))
  return true
}

/** Returns a queued mail; null if it was sent or dropped. */
export async function findMail({ pool }: Database, mailId: string): Promise<Mail | null> {
  return pool.maybeOne(sql.type(Mail)`
    SELECT mail_id AS "mailId", kind, email, login_id AS "loginId",
      institution_name AS "institutionName",
      consent_ends_at AS "consentEndsAt", timezone, webhook_host AS "webhookHost"
    FROM mails WHERE mail_id = ${mailId}`)
}

/** Removes a mail from the queue. */
export async function deleteMail({ pool }: Database, mailId: string): Promise<void> {
  await pool.query(sql.unsafe`DELETE FROM mails WHERE mail_id = ${mailId}`)
}

/**
 * Returns the login of a mail: by `loginId`, else by the mail's address. Null if there is none, or
 * if the mail is to a new address whose change is no longer pending.
 */
export async function findRecipient(
  { pool }: Database,
  { kind, email, loginId }: Pick<Mail, 'kind' | 'email' | 'loginId'>,
): Promise<Recipient | null> {
  const isRecipient =
    loginId === null
      ? sql.fragment`email = ${email}`
      : kind === 'change-email'
        ? sql.fragment`login_id = ${loginId} AND pending_email = ${email}`
        : sql.fragment`login_id = ${loginId}`
  return pool.maybeOne(sql.type(Recipient)`
    SELECT login_id AS "loginId", first_name AS "firstName",
      disabled_at IS NOT NULL AS "isDisabled",
      email_verified_at IS NOT NULL AS "isEmailVerified",
      (SELECT a.locale FROM users u JOIN accounts a USING (account_id)
        WHERE u.login_id = logins.login_id ORDER BY u.account_id LIMIT 1) AS locale
    FROM logins WHERE ${isRecipient}`)
}

/** Returns the address of an account's owner; null if the account has none or is missing. */
export function findOwner(
  tx: Transaction,
  accountId: string,
): Promise<z.infer<typeof Owner> | null> {
  return tx.maybeOne(sql.type(Owner)`
    SELECT l.email, a.timezone
    FROM accounts a JOIN users u USING (account_id) JOIN logins l USING (login_id)
    WHERE a.account_id = ${accountId} AND u.role = 'owner' ORDER BY u.user_id LIMIT 1`)
}

/**
 * Returns the trial of the account that a login owns; null if no `TrialEnding` was emitted, or the
 * account ever had a subscription.
 */
export async function findEndingTrial(
  { pool }: Database,
  loginId: string,
): Promise<EndingTrial | null> {
  return pool.maybeOne(sql.type(EndingTrial)`
    SELECT a.trial_ends_at AS "trialEndsAt", a.timezone
    FROM users u JOIN accounts a USING (account_id)
    WHERE u.login_id = ${loginId} AND u.role = 'owner'
      AND a.trial_notice_at IS NOT NULL AND a.subscription_active_until IS NULL
    ORDER BY u.account_id LIMIT 1`)
}

/** Returns IDs of queued mails above `after`, ascending, that were requested before `before`. */
export async function listMails(
  { pool }: Database,
  { after, before, limit }: { after: string; before: Date; limit: number },
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Known)`
    SELECT mail_id AS "mailId" FROM mails
    WHERE mail_id > ${after} AND created_at < ${sql.timestamp(before)}
    ORDER BY mail_id LIMIT ${limit}`)
}
