import { lockBound, requireWithin } from '@coffer/kit/database/account-bound.sql'
import type { Transaction as Tx } from '@coffer/kit/database/database'
import { duplicate, notFound } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import { type Bounds, bankAccountBound } from '../accounts/bounds.sql.ts'
import { shareLink } from '../accounts/link.sql.ts'
import type { Link, LinkKey } from '../accounts/link.ts'
import { candidateChanges } from './money-events.service.ts'
import { createMoney, type MoneySave } from './money-save.sql.ts'
import { type Creation, createdSet } from './unit-of-work.ts'

type Deps = Pick<ServiceDeps, 'database'> & { config: Bounds }

interface Created<Reply> {
  creations: readonly Creation<unknown>[]
  reply: Reply
}

/**
 * Saves new bank accounts of a link with their opening balances, all of them or none. It locks the
 * link against its deletion, which no other change of money has to. Creators of one account take
 * turns, so that `decide` can look for what another one has created.
 *
 * Throws notFound without the link, refuses more bank accounts than the bound and a candidate of a
 * feed that is taken.
 */
export async function createBankAccounts<Reply>(
  { config, database }: Deps,
  { accountId, linkId }: LinkKey,
  decide: (link: Link, tx: Tx) => Created<Reply> | Promise<Created<Reply>>,
): Promise<Reply> {
  const bound = bankAccountBound(config, accountId)
  const run = database.transaction(async (tx) => {
    // First, so that creators hold the link one at a time: together they would starve its deletion.
    await lockBound(tx, bound)
    const link = await shareLink(tx, accountId, linkId)
    if (!link) throw notFound('link')
    const { creations, reply } = await decide(link, tx)
    if (creations.length === 0) return reply
    await createMoney(tx, creations.map(saveOf))
    await requireWithin(tx, bound)
    return reply
  })
  return run.catch(refuseTaken)
}

function saveOf(creation: Creation<unknown>): MoneySave {
  const changeSet = createdSet(creation)
  return { ...changeSet, changes: candidateChanges(changeSet.bankAccount) }
}

/** A candidate of a feed link backs one live bank account. */
function refuseTaken(error: unknown): never {
  const isTaken = error instanceof UniqueIntegrityConstraintViolationError
  if (isTaken && error.constraint === 'bank_accounts_feed') {
    const feedBankAccountId = 'is taken by another bank account'
    throw duplicate('bank account', { feedBankAccountId })
  }
  throw error
}
