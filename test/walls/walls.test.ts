import { composeMesh } from './compose-environment.ts'
import { proveWalls } from './prove.ts'

proveWalls(async () => composeMesh())
