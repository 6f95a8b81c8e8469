import { type DragEvent, useState } from 'react'

/** Type of the dragged data: the ID of the rule. */
const type = 'application/x-coffer-rule'

/** Returns the drag-and-drop attributes of a row: another rule can be dropped at its position. */
export function useRuleDrag(ruleId: string, onDropped: (other: string) => void) {
  const [isOver, setOver] = useState(false)
  const isRule = ({ dataTransfer }: DragEvent) => dataTransfer.types.includes(type)
  return {
    draggable: true,
    'data-over': isOver || undefined,
    onDragStart: ({ dataTransfer }: DragEvent) => dataTransfer.setData(type, ruleId),
    onDragOver: (event: DragEvent) => {
      if (!isRule(event)) return
      event.preventDefault()
      setOver(true)
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false)
      if (!isRule(event)) return
      event.preventDefault()
      const other = event.dataTransfer.getData(type)
      if (other !== ruleId) onDropped(other)
    },
  }
}
