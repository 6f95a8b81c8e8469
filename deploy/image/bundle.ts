import { listWorkflows, workflowBundle } from '../../services/host/src/workflows/workflow-bundle.ts'

// Bundles the workflows into the cache from which workers load the bundle (docs/self-hosting.md).
await workflowBundle(listWorkflows())
