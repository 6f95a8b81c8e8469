import { SettingsError, setting, type ValuesOf } from '@coffer/kit/service/config'
import { z } from 'zod'
import { countryCodes } from './provider/aggregator.ts'
import { findPlaidUrlProblem, isDomain } from './provider/plaid-url.ts'

const flag = z.stringbool().default(false)
const text = z.string().default('')

const PlaidUrl = z
  .string()
  .default('https://production.plaid.com')
  .transform((url, context) => {
    const problem = findPlaidUrlProblem(url)
    if (problem !== null) context.addIssue(problem)
    return problem === null ? new URL(url).origin : z.NEVER
  })

/** Parses comma-separated codes of countries. */
const CountryCodes = z
  .string()
  .default('US')
  .transform((codes, context) => {
    const known = z.enum(countryCodes).array().min(1)
    const parsed = known.safeParse(codes.split(',').flatMap((code) => code.trim() || []))
    if (parsed.success) return [...new Set(parsed.data)]
    context.addIssue(`must be some of ${countryCodes.join(', ')}, separated by commas`)
    return z.NEVER
  })

const Domain = z
  .string()
  .refine((domain) => domain === '' || isDomain(domain), 'must be a host name or host:port')
  .default('')

/** Settings of aggregator-sync: each with its environment variable, rule, default and help text. */
export const settings = {
  aggregatorEnabled: setting(
    'COFFER_AGGREGATOR_ENABLED',
    flag,
    'Enable links over the aggregator (Plaid)',
  ),
  clientId: setting(
    'COFFER_AGGREGATOR_CLIENT_ID',
    text,
    'Client ID of Plaid; required with the aggregator, like the secret',
  ),
  clientSecret: setting('COFFER_AGGREGATOR_CLIENT_SECRET', text, 'Secret of the client at Plaid'),
  aggregatorUrl: setting(
    'COFFER_AGGREGATOR_URL',
    PlaidUrl,
    'Address of the Plaid API: production, `https://sandbox.plaid.com`, or a simulator',
  ),
  countryCodes: setting(
    'COFFER_AGGREGATOR_COUNTRY_CODES',
    CountryCodes,
    'Countries whose institutions users may link, separated by commas',
  ),
  webhooksEnabled: setting(
    'COFFER_AGGREGATOR_WEBHOOKS_ENABLED',
    flag,
    'Let Plaid announce changes by webhooks; needs the domain',
  ),
  webhooksDomain: setting(
    'COFFER_AGGREGATOR_WEBHOOKS_DOMAIN',
    Domain,
    'Host at which Plaid reaches `/api/aggregator/webhook` by https',
  ),
  oauthDomain: setting(
    'COFFER_AGGREGATOR_OAUTH_DOMAIN',
    Domain,
    'Host of the page `/aggregator/oauth-return`, to which institutions redirect users',
  ),
  aggregatorLinksMax: setting(
    'COFFER_AGGREGATOR_LINKS_MAX',
    z.coerce.number().int().min(0).max(1_000_000).default(0),
    'Links of an account over the aggregator; 0 for no bound of their own',
  ),
  syncShare: setting(
    'COFFER_AGGREGATOR_SYNC_SHARE',
    z.coerce.number().gt(0).max(1).default(0.5),
    'Duty cycle of scheduled aggregator syncs: their share of time; less while requests wait',
  ),
  itemCallsPerMinute: setting(
    'COFFER_AGGREGATOR_ITEM_CALLS_PER_MINUTE',
    z.coerce.number().int().min(1).max(10_000).default(50),
    'Calls for changes of one link in a minute; more only if Plaid allows it',
  ),
}

type AggregatorConfig = ValuesOf<typeof settings>

/** Throws SettingsError, naming each missing setting, if the aggregator is on without them. */
export function requireAggregatorSettings(config: AggregatorConfig): void {
  if (!config.aggregatorEnabled) return
  const { clientId, clientSecret, webhooksDomain } = settings
  const faults = [
    ...(config.clientId === '' ? [`${clientId.env}: needed with the aggregator`] : []),
    ...(config.clientSecret === '' ? [`${clientSecret.env}: needed with the aggregator`] : []),
    ...(config.webhooksEnabled && config.webhooksDomain === ''
      ? [`${webhooksDomain.env}: needed with webhooks of the aggregator`]
      : []),
  ]
  if (faults.length > 0) throw new SettingsError(faults.join('\n'))
}

/** Returns the URLs that are registered at the aggregator; null for those that are not set. */
export function aggregatorAddresses({
  webhooksEnabled,
  webhooksDomain,
  oauthDomain,
}: Pick<AggregatorConfig, 'webhooksEnabled' | 'webhooksDomain' | 'oauthDomain'>): {
  webhookUrl: string | null
  redirectUri: string | null
} {
  return {
    webhookUrl: webhooksEnabled ? `https://${webhooksDomain}/api/aggregator/webhook` : null,
    redirectUri: oauthDomain === '' ? null : `https://${oauthDomain}/aggregator/oauth-return`,
  }
}
