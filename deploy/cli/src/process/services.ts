import type { ServiceDefinition } from '@coffer/kit/service/service'
import { serviceNames } from '../settings/service-names.ts'
import { loadServices } from './parts.ts'

/** All services in topological order: each service calls only services before it. */
export const definitions: ServiceDefinition[] = await loadServices(serviceNames)
