import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BatchLimits, decideBatch, PAYLOAD_LIMIT_BYTES } from '../../../infra/local/batch.ts';

const LIMITS: BatchLimits = { size: 3, windowMs: 500, payloadBytes: PAYLOAD_LIMIT_BYTES };
const record = (bytes = 1_000, arrivedAtMs = 0) => ({ bytes, arrivedAtMs });
const MIB = 1024 * 1024;

describe('decideBatch', () => {
  it('has nothing to do without records', () => {
    expect(decideBatch([], LIMITS, 0)).toEqual({ kind: 'empty' });
  });

  it('invokes at once when the batch is full', () => {
    const held = [record(), record(), record(), record()];
    expect(decideBatch(held, LIMITS, 0)).toEqual({ kind: 'invoke', count: 3 });
  });

  it('waits for the rest of the window, counted from the first record', () => {
    const held = [record(1, 100), record(1, 400)];
    expect(decideBatch(held, LIMITS, 450)).toEqual({ kind: 'wait', forMs: 150 });
  });

  it('invokes with what there is when the window is over', () => {
    expect(decideBatch([record(1, 100)], LIMITS, 600)).toEqual({ kind: 'invoke', count: 1 });
  });

  it('invokes at once when there is no window', () => {
    const limits = { ...LIMITS, windowMs: 0 };
    expect(decideBatch([record(1, 100)], limits, 100)).toEqual({ kind: 'invoke', count: 1 });
  });

  it('closes the batch before the record that would pass 6 MB, without waiting', () => {
    const held = [record(4 * MIB), record(1 * MIB), record(2 * MIB)];
    expect(decideBatch(held, LIMITS, 0)).toEqual({ kind: 'invoke', count: 2 });
  });

  it('drops a first record that is over 6 MB by itself', () => {
    expect(decideBatch([record(6 * MIB), record()], LIMITS, 0)).toEqual({ kind: 'drop' });
  });

  it('invokes with what stands before a record over 6 MB first', () => {
    expect(decideBatch([record(), record(7 * MIB)], LIMITS, 0)).toEqual({
      kind: 'invoke',
      count: 1,
    });
  });

  it('never passes the size or the payload limit, and never stands still when a batch is due', () => {
    const held = fc.array(
      fc.record({ bytes: fc.integer({ min: 1, max: 4 * MIB }), arrivedAtMs: fc.nat(1_000) }),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(held, fc.integer({ min: 1, max: 20 }), fc.nat(3_000), (records, size, nowMs) => {
        const decision = decideBatch(records, { ...LIMITS, size }, nowMs);
        if (decision.kind === 'wait') {
          expect(records.length).toBeLessThan(size);
          expect(decision.forMs).toBeGreaterThan(0);
          return;
        }
        expect(decision.kind).toBe('invoke');
        if (decision.kind !== 'invoke') return;
        expect(decision.count).toBeGreaterThan(0);
        expect(decision.count).toBeLessThanOrEqual(size);
        const bytes = records.slice(0, decision.count).reduce((sum, one) => sum + one.bytes, 0);
        expect(bytes).toBeLessThan(PAYLOAD_LIMIT_BYTES);
      }),
    );
  });
});
