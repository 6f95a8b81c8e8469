import type { Transaction } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, unavailable } from '@coffer/kit/rpc/errors'
import type { ProofOfWork } from '@coffer/proto/identity/v1/proof_of_work'
import { findEmailProblem, mailboxOf } from '../book/login.ts'
import { hashOf } from '../book/secret.ts'
import { admitAttempt, countAttempt } from '../book/sign-in-attempt.sql.ts'
import type { IdentityDeps } from '../deps.ts'
import { featuresOf } from '../features.ts'
import { consumeProofOfWork } from '../proof-of-work/proof-of-work.service.ts'
import type { ChallengePurpose } from '../proof-of-work/proof-of-work.ts'
import { type NewMail, queueMail } from './mail.sql.ts'
import type { LinkNoticeKind, MailKind, NoticeKind, WebhookNoticeKind } from './mail.ts'

// Rate limit per mailbox and kind of mail, because anyone can request mails to any address.
const limit = { max: 5, windowMs: 15 * 60_000 }

/** Counts a mail against the rate limit of its mailbox; throws refused (429) beyond the limit. */
export function admitMail(
  connection: Pick<Transaction, 'one'>,
  { kind, email }: { kind: MailKind; email: string },
  now: Date,
): Promise<void> {
  return admitAttempt(connection, { subjectHash: subjectOf({ kind, email }), now, ...limit })
}

/**
 * Queues a mail that an anonymous client requests. No account enumeration: the address is not
 * looked up, so answer and time are the same for all addresses. Throws invalid for a malformed
 * address, refused (400 for the proof of work, 429 for the rate limit), and unavailable if the
 * queue is full.
 */
export async function requestMail(
  { database, ...deps }: IdentityDeps,
  asked: {
    email: string
    kind: MailKind
    purpose: ChallengePurpose
    proofOfWork?: ProofOfWork | undefined
  },
): Promise<void> {
  const { kind, purpose, proofOfWork } = asked
  const email = asked.email.trim().toLowerCase()
  const problem = findEmailProblem(email)
  if (problem) throw invalid({ email: problem })
  await consumeProofOfWork({ database, ...deps }, purpose, proofOfWork)
  const now = deps.clock()
  await admitMail(database.pool, { kind, email }, now)
  await database.transaction((tx) => requireQueued(tx, { kind, email }, now))
}

/** Queues a mail. Throws unavailable if the queue is full, so that the request fails. */
export async function requireQueued(tx: Transaction, mail: NewMail, now: Date): Promise<void> {
  if (!(await queueMail(tx, mail, now))) throw unavailable(say('MAILS_BUSY'))
}

/**
 * Queues a mail that notifies the login's owner of a change (OWASP ASVS 5.0, 6.3.7), of a link or
 * of a webhook.
 * Best effort: without SMTP server, with a full queue or above the rate limit, no mail is queued.
 */
export async function notifyOwner(
  { config, clock }: Pick<IdentityDeps, 'config' | 'clock'>,
  tx: Transaction,
  notice: NewMail & { kind: NoticeKind | LinkNoticeKind | WebhookNoticeKind },
): Promise<void> {
  if (!featuresOf(config).sendsMail) return
  const now = clock()
  const isLimited = await countAttempt(tx, { subjectHash: subjectOf(notice), now, ...limit })
  if (!isLimited) await queueMail(tx, notice, now)
}

function subjectOf({ kind, email }: Pick<NewMail, 'kind' | 'email'>): Buffer {
  return hashOf(`${kind} to ${mailboxOf(email)}`)
}
