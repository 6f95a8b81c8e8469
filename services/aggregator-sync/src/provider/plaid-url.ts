import { say } from '@coffer/kit/reasons/reasons'

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/**
 * Returns the problem of the aggregator's base URL, null if it is valid. Without https, the keys of
 * the operator and the tokens of users would be readable on the network.
 */
export function findPlaidUrlProblem(text: string): string | null {
  const url = URL.parse(text)
  if (!url) return say('NOT_URL')
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return say('URL_NOT_HTTPS')
  if (url.protocol === 'http:' && !loopback.test(url.hostname)) {
    return 'must be an https URL: http is for a loopback address only'
  }
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  const hasMore = url.pathname !== '/' || url.search !== '' || url.hash !== ''
  return hasMore ? 'must end after the host and port' : null
}

/** Returns whether a text is a host name or address, optionally with a port. */
export function isDomain(text: string): boolean {
  const isPlain = /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/i.test(text)
  return isPlain && URL.canParse(`https://${text}`)
}
