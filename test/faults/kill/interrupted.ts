import { requiredVariable } from '@coffer/host/testing/database'
import { startProxy } from '@coffer/kit/testing/proxy'
import { expect } from '@jest/globals'
import pg from 'pg'
import type { Json } from '../../harness/person.ts'
import { type Deployment, deploy } from '../../harness/process.ts'
import { fullSettings } from '../../mesh/full-account.ts'

/** An operation that a test interrupts with SIGKILL, together with other operations. */
export interface Interrupted {
  /** Starts the operation. A test calls it before the kill. */
  act: () => Promise<void>
  /** Called between the kill and the restart. */
  whileDown?: () => Promise<void>
  /** Checks the result of the operation after the restart. */
  afterRestart: () => Promise<void>
}

/** A deployment whose process is killed with SIGKILL and started again. */
export interface Killable extends AsyncDisposable {
  deployment: Deployment
  /** Disposed with the deployment. */
  stack: AsyncDisposableStack
  reader: pg.Client
  /** Opens another connection to the database. */
  connect: () => Promise<pg.Client>
  /** Returns the first row of a query on the database. */
  read: (text: string, ...values: string[]) => Promise<Json>
  /**
   * Starts all operations, kills the process, restarts it and checks the results. Unless
   * `isPublished`, NATS is unreachable until the restart, so no event is published before the kill.
   */
  interrupt: (
    cases: ((killable: Killable) => Promise<Interrupted>)[],
    options: { isPublished: boolean },
  ) => Promise<void>
}

export async function startKillable(): Promise<Killable> {
  const stack = new AsyncDisposableStack()
  const nats = stack.use(await startProxy(requiredVariable('COFFER_TEST_NATS_URL')))
  const deployment = stack.use(await deploy({ COFFER_NATS_URL: nats.url, ...fullSettings }))
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({ connectionString: deployment.databaseUrl })
    await client.connect()
    stack.defer(() => client.end())
    return client
  }
  const reader = await connect()
  await deployment.start()
  const killable: Killable = {
    deployment,
    stack,
    reader,
    connect,
    read: async (text, ...values) => (await reader.query(text, values)).rows[0],
    interrupt: async (cases, { isPublished }) => {
      const interrupted: Interrupted[] = []
      for (const prepare of cases) interrupted.push(await prepare(killable))
      if (!isPublished) nats.cut()
      for (const { act } of interrupted) await act()
      await deployment.kill()
      for (const { whileDown } of interrupted) await whileDown?.()
      nats.mend()
      await deployment.start()
      await Promise.all(interrupted.map(({ afterRestart }) => afterRestart()))
      expect(await deployment.run('audit')).toMatchObject({ code: 0 })
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
  return killable
}
