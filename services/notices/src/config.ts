import { accountBound, setting } from '@coffer/kit/service/config'
import { z } from 'zod'
import { readAllowedHosts } from './requests/webhook-url.ts'

/** Parses comma-separated hosts; a bad one prevents the start. */
const Hosts = z
  .string()
  .default('')
  .transform((text, context) => {
    const { hosts, faults } = readAllowedHosts(text)
    for (const fault of faults) context.addIssue(`${fault} must be a host, or host:port`)
    return faults.length > 0 ? z.NEVER : hosts
  })

export const settings = {
  changesDays: setting(
    'COFFER_CHANGES_DAYS',
    z.coerce.number().int().min(30).max(3_650).default(30),
    'Days, 30 or more, for which the change feed keeps an entry; webhooks send them again',
  ),
  webhooksMax: setting('COFFER_WEBHOOKS_MAX', accountBound(20), 'Webhooks of an account'),
  webhookHosts: setting(
    'COFFER_WEBHOOK_ALLOWED_HOSTS',
    Hosts,
    'Hosts, as host or host:port, to which webhooks may lead by http or to a private address',
  ),
  webhookTimeoutMs: setting(
    'COFFER_WEBHOOK_TIMEOUT_MS',
    z.coerce.number().int().min(100).max(20_000).default(10_000),
    'Timeout of a request to a webhook in ms',
  ),
}
