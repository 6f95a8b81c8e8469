import { say } from '@coffer/kit/reasons/reasons'
import type { FileStatement, ListedStatement, Unreadable } from './statement.ts'

/** An account in a file; its rows are parsed on demand. */
export type FileAccount = Omit<ListedStatement, 'statement' | 'balance'> & {
  read: () => FileStatement | Unreadable
}

const listedMax = 100

/**
 * Returns the statement of the `stated` account, else of the only account. If the client must
 * choose among several accounts, `Unreadable` lists them.
 */
export function chooseAccount(
  accounts: readonly FileAccount[],
  stated: string | undefined,
): FileStatement | Unreadable {
  const names = namesOf(accounts)
  const [only] = accounts
  const chosen = stated === undefined ? only : accounts[names.indexOf(stated)]
  if (chosen !== undefined && (stated !== undefined || accounts.length === 1)) {
    const { number, kind } = chosen
    const read = chosen.read()
    return 'unreadable' in read ? read : { ...read, account: { number, kind } }
  }
  const held = `${accounts.length} account${accounts.length === 1 ? '' : 's'}`
  const code = stated === undefined ? 'ACCOUNT_UNCLEAR' : 'ACCOUNT_UNKNOWN'
  return {
    unreadable: say(code, { accounts: held }),
    asks: 'statement',
    statements: listAccounts(accounts),
  }
}

/** Lists the accounts of a file for the client to choose one, at most 100. */
export function listAccounts(accounts: readonly FileAccount[]): ListedStatement[] {
  const names = namesOf(accounts)
  return accounts.slice(0, listedMax).map(({ read, ...account }, index) => ({
    ...account,
    statement: names[index] ?? '',
    balance: balanceOf(read()),
  }))
}

/** Groups the parts of a file by number, kind and currency of their account, in file order. */
export function groupByAccount<Part>(
  parts: readonly Part[],
  accountOf: (part: Part) => Omit<FileAccount, 'rowCount' | 'read'>,
): (Omit<FileAccount, 'rowCount' | 'read'> & { parts: Part[] })[] {
  const groups = Map.groupBy(parts, (part) => {
    const { number, kind, currency } = accountOf(part)
    return JSON.stringify([number, kind, currency])
  })
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    return first === undefined ? [] : [{ ...accountOf(first), parts: group }]
  })
}

/** Returns a unique name for each account: its number; if not unique, with kind and currency. */
function namesOf(accounts: readonly FileAccount[]): string[] {
  const written = (account: FileAccount, parts: number) =>
    [account.number, account.kind, account.currency].slice(0, parts).filter(Boolean).join(' ')
  const names = accounts.map((account) => {
    const isUnique = (parts: number) => {
      const name = written(account, parts)
      return name !== '' && accounts.filter((one) => written(one, parts) === name).length === 1
    }
    return written(account, [1, 2].find(isUnique) ?? 3)
  })
  return names.map((name, index) => {
    const before = names.slice(0, index).filter((one) => one === name).length
    return before === 0 ? name : `${name} #${before + 1}`
  })
}

function balanceOf(read: FileStatement | Unreadable): string | null {
  return 'unreadable' in read || read.balances.current === null
    ? null
    : String(read.balances.current)
}
