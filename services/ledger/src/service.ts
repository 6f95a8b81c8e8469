import { defineService } from '@coffer/kit/service'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { TransactionService } from '@coffer/proto/ledger/v1/transaction'
import { bankAccountRoutes } from './bank-account.rpc.ts'
import { settings } from './config.ts'
import { envelopeRoutes } from './envelope.rpc.ts'
import { linkRoutes } from './link.rpc.ts'
import { createMoneyWriter } from './money.rpc.ts'
import { transactionRoutes } from './transaction.rpc.ts'

/** The ledger: all the money (design 1). */
export const ledger = defineService({
  name: 'ledger',
  schema: 'ledger',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  create: (deps) => {
    const money = { ...deps, write: createMoneyWriter(deps) }
    return {
      routes: (router) => {
        router.service(LinkService, linkRoutes(deps))
        router.service(BankAccountService, bankAccountRoutes(money))
        router.service(EnvelopeService, envelopeRoutes(money))
        router.service(TransactionService, transactionRoutes(money))
      },
    }
  },
})
