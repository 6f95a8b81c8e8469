import type { ServiceDefinition } from '@coffer/kit/service/service'
import { loadServices } from './parts.ts'
import { serviceNames } from './service-names.ts'

/** All services in topological order: each service calls only services before it. */
export const definitions: ServiceDefinition[] = await loadServices(serviceNames)
