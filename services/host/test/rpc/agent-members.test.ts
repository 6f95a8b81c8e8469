import { Agent } from 'node:http'
import { expect, test } from '@jest/globals'
import { createAgent } from '../../src/rpc/connections.ts'

// Node documents three of these members. A change of their form in Node fails here first; a further
// member needs another design, such as one agent for each replica.
test('the agent of replicas replaces four members of the agent of Node, of known forms', () => {
  const agent = createAgent(['http://127.0.0.1:1'], 1_000)
  const ofNode = Agent.prototype as unknown as Record<string, (...values: unknown[]) => unknown>
  const replaced = Object.keys(agent).filter((name) => typeof ofNode[name] === 'function')
  agent.destroy()
  const parameters = Object.fromEntries(replaced.map((name) => [name, ofNode[name]?.length]))
  expect(parameters).toEqual({ addRequest: 4, createConnection: 0, keepSocketAlive: 1, destroy: 0 })
})
