import { isPublicAddress } from '@coffer/kit/http/public-address'
import { say } from '@coffer/kit/reasons/reasons'

/** Hosts for which http and private addresses are allowed: `host`, or `host:port`. */
export type AllowedHosts = readonly string[]

const urlLengthMax = 2_000

/** Returns whether the operator allows a host, at any port or at the port of this URL. */
export function isAllowedHost({ hostname, port, protocol }: URL, allowed: AllowedHosts): boolean {
  const effective = port || (protocol === 'https:' ? '443' : '80')
  return allowed.includes(hostname) || allowed.includes(`${hostname}:${effective}`)
}

/**
 * Returns the problem of a webhook's URL, or null (docs/changes/own-webhooks.md#urls). Does not
 * resolve host names: `createSender` checks their addresses when it sends, because they may change.
 */
export function findUrlProblem(text: string, allowed: AllowedHosts): string | null {
  if (text.length > urlLengthMax) return say('URL_TOO_LONG', { max: urlLengthMax })
  const url = URL.parse(text)
  if (url === null) return say('NOT_URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return say('URL_NOT_HTTPS')
  if (url.username !== '' || url.password !== '') return say('URL_CREDENTIALS')
  if (url.hash !== '') return say('URL_FRAGMENT')
  if (isAllowedHost(url, allowed)) return null
  if (url.protocol === 'http:') {
    return say('WEBHOOK_NOT_HTTPS')
  }
  return namesPrivateAddress(url.hostname) ? privateProblem : null
}

const privateProblem = say('WEBHOOK_NOT_PUBLIC')

/** Returns whether a host is a private address, or a name that always resolves to one. */
function namesPrivateAddress(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  const isAddress = host.includes(':') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
  return isAddress ? !isPublicAddress(host) : /^(.*\.)?localhost\.?$/.test(host)
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(:\d{1,5})?$/

/** Returns the hosts of a comma-separated list in lower case, and the malformed ones. */
export function readAllowedHosts(text: string): { hosts: AllowedHosts; faults: string[] } {
  const given = text.split(',').map((one) => one.trim().toLowerCase())
  const hosts = given.filter((one) => one !== '')
  return { hosts, faults: hosts.filter((one) => !hostPattern.test(one)) }
}
