import { describe, expect, it } from 'vitest';
import { fingerprintOf, markOf } from '../../../functions/replay/fingerprint.ts';
import { Progress } from '../../../functions/replay/progress.ts';

const delivery = (messageId: string, content: string) => ({
  content: Buffer.from(content),
  properties: { messageId, headers: {} },
});
const nothing = { intended: [], withdrawn: [], done: [], left: [] };

describe('what a run knows of a message by its mark', () => {
  const planned = delivery('m-1', 'planned');
  const twin = delivery('m-1', 'another body');
  const stranger = delivery('m-2', 'planned');
  const movedBefore = delivery('m-3', 'moved by another run');
  const progress = new Progress(
    [fingerprintOf(planned)],
    nothing,
    undefined,
    new Map([[fingerprintOf(movedBefore), 'run-0']]),
  );

  it('is the beginning of its fingerprint', () => {
    expect(fingerprintOf(planned).startsWith(markOf(planned))).toBe(true);
    expect(markOf(planned)).toMatch(/^[0-9a-f]{8}$/);
  });

  it('is nothing when neither the plan nor a run before it has one like it', () => {
    expect(progress.mayConcern(markOf(stranger))).toBe(false);
    expect(progress.fateOf(fingerprintOf(stranger))).toBe('leave');
  });

  it('is a reason to look closer when a planned one has it, and the body decides', () => {
    expect(progress.mayConcern(markOf(twin))).toBe(true);
    expect(progress.fateOf(fingerprintOf(twin))).toBe('leave');
    expect(progress.fateOf(fingerprintOf(planned))).toBe('move');
  });

  it('goes on to concern it once the planned one was met: the next may be its copy', () => {
    expect(progress.mayConcern(markOf(planned))).toBe(true);
  });

  it('is a reason to look closer when an earlier run moved one that has it', () => {
    expect(progress.mayConcern(markOf(movedBefore))).toBe(true);
    expect(progress.fateOf(fingerprintOf(movedBefore))).toBe('superseded');
  });
});
