import type { Deployment, Part } from '../harness/process.ts'
import { type RpcGate, startRpcGate } from '../harness/rpc-gate.ts'

/** Processes of the ledger and of a sync service, and one of all other services. */
export interface Apart {
  ledger: Part
  sync: Part
  /** Proxy through which the sync service calls the ledger. */
  gate: RpcGate
  startLedger: () => Promise<void>
  startSync: () => Promise<void>
}

const serviceNames = ['identity', 'budgeting', 'aggregator-sync', 'feed-sync', 'gateway']

/** Starts the ledger and the sync service in processes of their own; the others share one. */
export async function startApart(
  deployment: Deployment,
  syncName: 'aggregator-sync' | 'feed-sync',
  stack: AsyncDisposableStack,
): Promise<Apart> {
  const ledger = await deployment.part('ledger')
  const sync = await deployment.part(syncName)
  const others = await deployment.part(...serviceNames.filter((name) => name !== syncName))
  const gate = stack.use(await startRpcGate(ledger.url))
  const startLedger = () => ledger.start({ COFFER_IDENTITY_URL: others.url })
  const startSync = () =>
    sync.start({ COFFER_IDENTITY_URL: others.url, COFFER_LEDGER_URL: gate.url })
  const urlOfSync = `COFFER_${syncName.toUpperCase().replace('-', '_')}_URL`
  const started = others.start({
    COFFER_LEDGER_URL: ledger.url,
    [urlOfSync]: sync.url,
    COFFER_PORT: new URL(deployment.baseUrl).port,
  })
  await Promise.all([startLedger(), startSync(), started])
  return { ledger, sync, gate, startLedger, startSync }
}
