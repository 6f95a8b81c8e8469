import type { ServiceDefinition } from '@coffer/kit/service/service'
import { loadServices } from './parts.ts'
import { serviceNames } from './service-names.ts'

/** Every service in topological order: each calls only services before it. */
export const definitions: ServiceDefinition[] = await loadServices(serviceNames)
