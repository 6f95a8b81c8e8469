import { findComponents } from './cluster-components.ts'
import { describeCluster, type FoundCluster, type Member } from './cluster-fields.ts'
import type { ClusterInput } from './cluster-input.ts'
import { createVectors, type Vector } from './cluster-vectors.ts'
import { findTextWords } from './cluster-words.ts'

/** Returns disjoint clusters of similar transactions (docs/similar-transactions.md#clusters). */
export function findClusters({ transactionIds, textOf, texts }: ClusterInput): FoundCluster[] {
  const documents = texts.map((text) => ({ words: findTextWords(text), copies: 0 }))
  for (const at of textOf) {
    const document = documents[at]
    if (document) document.copies += 1
  }
  const { names, vectors } = createVectors(documents)
  const component = componentByVector(vectors)
  const clusters = new Map<number, Member[]>()
  for (const [index, transactionId] of transactionIds.entries()) {
    const at = textOf[index] ?? -1
    const vector = vectors[at]
    if (!vector) continue
    const number = component.get(vector) ?? -1
    const members = clusters.get(number) ?? []
    members.push({ transactionId, vector, words: documents[at]?.words ?? [] })
    clusters.set(number, members)
  }
  return [...clusters.values()].flatMap((members) =>
    members.length < 2 ? [] : (describeCluster(members, names) ?? []),
  )
}

function componentByVector(vectors: readonly (Vector | null)[]): Map<Vector, number> {
  const distinct = [...new Set(vectors)].filter((vector) => vector !== null)
  const components = findComponents(distinct)
  return new Map(distinct.map((vector, index) => [vector, components[index] ?? -1]))
}
