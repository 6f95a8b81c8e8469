import { type Booted, eventually } from '@coffer/host/testing/boot'
import { createHousehold, type Household } from '@coffer/host/testing/household'
import { UploadGroupService } from '@coffer/proto/ledger/v1/upload_group'
import { bytesOf } from '../file-parts.ts'
import { opening, statementOf } from '../uploading.ts'

type Joins = { joins: { uploadIdentifier: string; transactionId: string }[] }
export type Mapping = { statement: string; bankAccountId: string; joins?: Joins }

/** Returns an OFX file with the statements of several accounts, keyed by their numbers. */
export function fileOf(accounts: Record<string, string>): string {
  const statements = Object.entries(accounts).map(([number, statement]) =>
    statement
      .replace('<OFX>', '')
      .replace('</OFX>', '')
      .replace('<BANKTRANLIST>', `<BANKACCTFROM><ACCTID>${number}</BANKACCTFROM><BANKTRANLIST>`),
  )
  return `<OFX>${statements.join('')}</OFX>`
}

export const file = fileOf({
  '1001': statementOf({ a: '-10.00', b: '-20.00' }, { ledger: '470.00' }),
  '2002': statementOf({ c: '5.00' }, { ledger: '75.00' }),
})

export async function* partsOf(
  text: string,
  statements: Mapping[],
  { name = 'all.ofx', preview = false } = {},
) {
  const content = new TextEncoder().encode(text)
  yield { part: { of: { case: 'start' as const, value: { name, preview } } } }
  for await (const value of bytesOf(content)) {
    yield { part: { of: { case: 'bytes' as const, value } } }
  }
  const value = { bodyHash: new Uint8Array([1]), statements }
  yield { part: { of: { case: 'end' as const, value } } }
}

/** Returns the RPC client of files of several accounts, and functions for their steps. */
export function grouping(booted: Booted) {
  const groups = () => booted.client('ledger', UploadGroupService)

  /** Creates a household with two bank accounts, the second with the fields of `changes`. */
  async function household(changes: object = {}) {
    const home = await createHousehold(booted, opening)
    const body = { linkId: home.linkId, name: 'Savings', ...opening, ...changes }
    const { bankAccount } = await home.accounts.createBankAccount(body, home.as)
    const second = bankAccount?.bankAccountId ?? ''
    const mappings = [
      { statement: '1001', bankAccountId: home.bankAccountId },
      { statement: '2002', bankAccountId: second },
    ]
    return { ...home, second, mappings }
  }

  async function send({ as }: Household, mappings: Mapping[] = [], text = file) {
    const { uploadGroup } = await groups().createUploadGroup(partsOf(text, mappings), as)
    return uploadGroup!
  }

  /** Returns what the import would do. */
  async function preview({ as }: Household, mappings: Mapping[]) {
    const parts = partsOf(file, mappings, { preview: true })
    return (await groups().createUploadGroup(parts, as)).uploadGroup!
  }

  /** Stores a transaction by hand, on the day of the rows; returns its ID. */
  async function typed(
    { transactions, as }: Household,
    of: { bankAccountId: string; name: string; amount: bigint },
  ) {
    const date = { seconds: BigInt(Date.parse('2026-01-10') / 1000) }
    return (await transactions.createTransaction({ ...of, date }, as)).transaction!.transactionId
  }

  async function ended({ as }: Household, uploadGroupId: string) {
    const found = await eventually(
      async () => (await groups().getUploadGroup({ uploadGroupId }, as)).uploadGroup,
      (one) => one?.status !== 'processing',
      60_000,
    )
    return found!
  }

  return { groups, household, send, preview, typed, ended }
}
