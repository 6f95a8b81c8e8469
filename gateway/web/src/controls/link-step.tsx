import type { SyncHealth } from '@coffer/client/types'
import { basePath } from '../base-path.ts'
import { accountWords as words } from '../words/accounts.ts'
import rows from './rows.module.css'

/** Errors that a new sign-in at the bank repairs; `ended`: errors that require a new link. */
const renewable = /^login-required$/
const ended = /^(revoked|item-gone|unsupported)$/

/** Returns a text about the last error of a connection; null without one. */
export function faultText({ lastError }: SyncHealth): string | null {
  if (lastError === null) return null
  const { code, text, advice } = lastError
  return words.linkFaults[code] ?? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}. ${advice}`
}

/** A link that repairs an aggregator connection; nothing if the connection recovers by itself. */
export function LinkStep({ health }: { health: SyncHealth }) {
  const { linkId, linkType, status, lastError } = health
  if (linkType !== 'aggregator') return null
  const code = lastError?.code ?? ''
  const isEnded = status === 'revoked' || ended.test(code)
  const isRenewable = status === 'pending_expiration' || renewable.test(code)
  if (!isEnded && !isRenewable) return null
  const query = isEnded ? '' : `?link=${linkId}`
  return (
    <p>
      <a className={rows.action} href={`${basePath}links/connect${query}`}>
        {isEnded ? words.linkAgain : words.renew}
      </a>
    </p>
  )
}
