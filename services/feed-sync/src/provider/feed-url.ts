/**
 * What is wrong with the URL of a provider instance, or null: http or https, no query parameters,
 * no credentials (spec/syncs.md 5.1).
 */
export function feedUrlProblem(text: string): string | null {
  const url = URL.parse(text)
  if (!url) return 'must be a URL'
  if (url.search !== '') return 'must not have query parameters'
  if (url.hash !== '') return 'must not have a fragment'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must be an http or https URL'
  if (url.username !== '' || url.password !== '') return 'must not contain credentials'
  return null
}

/**
 * The one spelling of a URL without problems: scheme and host in lower case, no default port, dot
 * segments resolved, no trailing slash. Two URLs of one instance compare equal in it.
 */
export function canonicalFeedUrl(text: string): string {
  const { origin, pathname } = new URL(text)
  return `${origin}${pathname.replace(/\/+$/, '')}`
}
