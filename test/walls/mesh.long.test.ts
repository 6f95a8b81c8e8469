import { eventually } from '@coffer/host/testing/boot'
import { withClient } from '@coffer/host/testing/database'
import { newId } from '@coffer/kit/values/id'
import { expect, test } from '@jest/globals'
import { newPerson } from '../harness/person.ts'
import { budgetAndSpend } from '../journeys/budget.ts'
import { eachService, startReplicas } from '../replicas/replicas.ts'
import { composeMesh } from './compose-environment.ts'
import { startWorld, type World } from './world.ts'

test('a person budgets, spends and leaves in a mesh whose parts have walls', async () => {
  const prefix = newId('t')
  await using world = await startWorld(composeMesh(), prefix)
  await using mesh = await startReplicas({
    kinds: eachService,
    environment: { COFFER_PREFIX: prefix },
    route: async (name, settings) => ({
      ...settings,
      ...walledIn(world, name.replace(/-\d$/, '')),
    }),
  })
  const person = await newPerson(mesh.baseUrl)
  await budgetAndSpend(person)
  const body = { currentPassword: person.password }
  const { status } = await person.call('DELETE', '/users/me', { asSession: true, body })
  expect(status).toBe(200)
  // Events, and activities of every service, which ask each other.
  const rows = 'SELECT count(*)::int AS rows FROM ledger.envelopes WHERE account_id = $1'
  await eventually(
    () => withClient(world.ownerUrl, (owner) => owner.query(rows, [person.accountId])),
    ({ rows: [found] }) => found.rows === 0,
    60_000,
  )
  expect(world.violations()).toEqual([])
  expect(mesh.deployment.output()).not.toMatch(/permission denied|dead letter|refused/)
}, 300_000)

/** The addresses of the servers with the credentials of a part, and no other credentials. */
function walledIn(world: World, part: string): Record<string, string> {
  const found = Object.entries(world.environmentOf(part))
  const servers = found.filter(([name]) => /_DATABASE_URL$|^COFFER_NATS_URL$/.test(name))
  return { ...Object.fromEntries(servers), COFFER_DATABASE_URL: '' }
}
