import type { Transaction } from '@coffer/kit/database/database'
import { invalid, unavailable } from '@coffer/kit/rpc/errors'
import type { ProofOfWork } from '@coffer/proto/identity/v1/proof_of_work'
import { featuresOf } from '../accounts/features.ts'
import { spendProofOfWork } from '../proof-of-work/proof-of-work.rpc.ts'
import type { Purpose } from '../proof-of-work/proof-of-work.ts'
import type { IdentityDeps } from '../service.ts'
import { emailProblem, mailboxOf } from '../sign-in/login.ts'
import { hashOf } from '../sign-in/secret.ts'
import { admitAttempt, countAttempt } from '../sign-in/sign-in-attempt.sql.ts'
import { queueMail } from './mail.sql.ts'
import type { MailKind, NoticeKind } from './mail.ts'

/** Mails of one kind to one mailbox within `windowMs`: their cause may be a stranger to it. */
const limit = { max: 5, windowMs: 15 * 60_000 }

/** Counts a mail that a client asks for. Throws refused (429) beyond the limit of its mailbox. */
export function admitMail(
  connection: Pick<Transaction, 'one'>,
  { kind, email }: { kind: MailKind; email: string },
  now: Date,
): Promise<void> {
  return admitAttempt(connection, { subjectHash: subjectOf({ kind, email }), now, ...limit })
}

/**
 * Queues a mail to an address that somebody typed. Nothing here looks whether anybody has it, so
 * neither the answer nor its time can tell. Throws invalid, refused (400 for the proof of work,
 * 429) and unavailable.
 */
export async function requestMail(
  { database, ...deps }: IdentityDeps,
  asked: { email: string; kind: MailKind; purpose: Purpose; proofOfWork?: ProofOfWork | undefined },
): Promise<void> {
  const { kind, purpose, proofOfWork } = asked
  const email = asked.email.trim().toLowerCase()
  const problem = emailProblem(email)
  if (problem) throw invalid({ email: problem })
  await spendProofOfWork({ database, ...deps }, purpose, proofOfWork)
  const now = deps.clock()
  await admitMail(database.pool, { kind, email }, now)
  await database.transaction((tx) => requireQueued(tx, { kind, email }, now))
}

/** Queues a mail without which the request is of no use. Throws unavailable. */
export async function requireQueued(
  tx: Transaction,
  mail: { kind: MailKind; email: string },
  now: Date,
): Promise<void> {
  if (!(await queueMail(tx, mail, now))) throw unavailable('too many mails are waiting')
}

/**
 * Mails the owner of a login what was changed in it, after the transaction commits; where that
 * cannot be, or the mailbox was told five times of late, it was changed all the same (OWASP ASVS
 * 5.0, 6.3.7).
 */
export async function tellOwner(
  { config, clock }: Pick<IdentityDeps, 'config' | 'clock'>,
  tx: Transaction,
  notice: { email: string; kind: NoticeKind },
): Promise<void> {
  if (!featuresOf(config).sendsMail) return
  const now = clock()
  const isLimited = await countAttempt(tx, { subjectHash: subjectOf(notice), now, ...limit })
  if (!isLimited) await queueMail(tx, notice, now)
}

function subjectOf({ kind, email }: { kind: MailKind; email: string }): Buffer {
  return hashOf(`${kind} to ${mailboxOf(email)}`)
}
