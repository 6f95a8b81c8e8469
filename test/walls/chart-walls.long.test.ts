import { serviceNames } from '@coffer/cli/settings/service-names'
import { beforeAll, expect, test } from '@jest/globals'
import { render, requireTools, valuesOf } from '../packaging/chart.ts'
import { helm } from '../packaging/tools/tool-list.ts'
import { environmentIn, objectIn, variablesIn } from './chart-environment.ts'
import { proveWalls } from './prove.ts'
import { parts } from './world.ts'

let rendered: string

beforeAll(async () => {
  requireTools([helm])
  rendered = await render(valuesOf('mesh'))
})

const variablesOf = (part: string) =>
  variablesIn(objectIn(rendered, 'Deployment', `coffer-${part}`))
const migration = () => variablesIn(objectIn(rendered, 'Job', 'coffer-migration'))

test('each pod has its own keys of the Secrets of all parts, and no Secret of another', () => {
  const keysOf = (part: string) =>
    Object.values(variablesOf(part)).flatMap((value) =>
      typeof value === 'string' ? [] : [`${value.secret}/${value.key}`],
    )
  const more: Record<string, string[]> = {
    identity: ['coffer-mail/url'],
    ledger: ['coffer-storage/AWS_ACCESS_KEY_ID', 'coffer-storage/AWS_SECRET_ACCESS_KEY'],
  }
  for (const part of parts) {
    const database = part === 'gateway' ? [] : [`coffer-databases/${part}`]
    const own = [...database, `coffer-nats/${part}`, ...(more[part] ?? [])]
    expect([part, keysOf(part).sort()]).toEqual([part, own.sort()])
  }
  const urls = ['owner', ...serviceNames].map((key) => `coffer-databases/${key}`)
  const migrated = Object.values(migration()).filter((value) => typeof value !== 'string')
  expect(migrated.map(({ secret, key }) => `${secret}/${key}`).sort()).toEqual(urls.sort())
})

test('certificates, files of credentials and API keys are those of the part', async () => {
  const text = await render([
    ...valuesOf('secured'),
    '--set=nats.credentialFiles.secretName=creds',
    '--set=temporal.apiKeys.secretName=api-keys',
  ])
  const pod = (part: string) => objectIn(text, 'Deployment', `coffer-${part}`)
  expect(pod('identity')).toContain('name: coffer-nats-identity')
  expect(pod('identity')).toContain('name: coffer-temporal-identity')
  expect(pod('budgeting')).toContain('key: "budgeting.creds"')
  expect(pod('ledger')).toContain('name: coffer-nats-ledger')
  for (const part of parts) {
    const files = [...pod(part).matchAll(/key: "(\S+)\.creds"/g)].map(([, owner]) => owner)
    expect([part, files]).toEqual([part, [part === 'ledger' ? 'nats' : part]])
    const key = variablesIn(pod(part)).COFFER_TEMPORAL_API_KEY
    expect([part, key]).toEqual([
      part,
      part === 'gateway' ? undefined : { secret: 'api-keys', key: part },
    ])
    if (part !== 'identity') expect(pod(part)).not.toContain('-identity\n')
  }
})

proveWalls(async () => ({
  environmentOf: (part) => environmentIn(variablesOf(part)),
  migration: environmentIn(migration()),
}))
