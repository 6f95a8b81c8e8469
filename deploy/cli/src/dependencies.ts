import { calledDependency, type Dependency, hostedDependency } from '@coffer/host/dependency.client'
import type { Host } from '@coffer/host/host'
import { loadSigner } from '@coffer/kit/rpc/caller'
import type { Parts } from './parts.ts'
import { calls, type PartName } from './service-names.ts'

/** Services without which the part is not ready. */
const essential: Partial<Record<PartName, readonly string[]>> = { gateway: ['identity', 'ledger'] }

/** Services that this process hosts, and services of other processes that its parts call. */
export function dependenciesOf(options: {
  parts: Parts
  host: Pick<Host, 'databases' | 'mesh'>
  keysDir: string
  clock: () => Date
}): Dependency[] {
  const { parts, host, keysDir, clock } = options
  const hosted = Object.entries(host.databases)
  const names = hosted.map(([name]) => name as PartName)
  const all: PartName[] = parts.hasGateway ? ['gateway', ...names] : names
  const called = new Map<string, Dependency>()
  for (const part of all) {
    const signer = loadSigner(keysDir, part)
    for (const name of calls[part]) {
      if (name in host.databases || called.has(name)) continue
      const isEssential = essential[part]?.includes(name) ?? false
      called.set(name, calledDependency({ name, isEssential, mesh: host.mesh, signer, clock }))
    }
  }
  return [...hosted.map(([name, database]) => hostedDependency(name, database)), ...called.values()]
}
