import { FeedBankAccountSchema } from '@coffer/proto/feedsync/v1/feed_bank_account'
import { BankAccountSchema, BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { z } from 'zod'
import { createCandidates } from '../../compose/feed-bank-account.ts'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { type Route, route } from '../../http/route.ts'

/** Returns the route that restores an archived bank account (docs/links.md#archiving). */
export function bankAccountRestorationRoutes(deps: RouteDeps): Route[] {
  const accounts = deps.mesh.client('ledger', BankAccountService)
  const candidates = createCandidates(deps)
  return [
    route({
      id: 'restoreBankAccount',
      tag: 'Bank accounts',
      method: 'POST',
      path: '/api/bank_accounts/:bankAccountId/restore',
      summary: 'Restore an archived bank account, with everything under it',
      description:
        'Writes, syncs and jobs take it up again. 400 if another bank account uses its candidate ' +
        'of a feed; 404 once its link is deleted. A live one stays as it is ' +
        '(docs/links.md#archiving).',
      since: '0.4.0',
      auth: 'key',
      tagged: true,
      find: ({ params, options }) => accounts.getBankAccount(params, options),
      body: z.strictObject({}),
      isBodyOptional: true,
      answer: {
        message: BankAccountSchema,
        with: { feedBankAccount: { optional: FeedBankAccountSchema } },
      },
      handler: async ({ params, options }) => {
        const { bankAccount } = await accounts.restoreBankAccount(params, options)
        return candidates.joinChanged(requirePart(bankAccount), options)
      },
    }),
  ]
}
