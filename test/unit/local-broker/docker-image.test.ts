import { describe, expect, it } from 'vitest';
import { daemonReason, newestManagementImage } from '../../../infra/local/broker/docker-image.ts';

describe('newestManagementImage', () => {
  it('compares versions as numbers', () => {
    const images = [
      'rabbitmq:4.3-management',
      'rabbitmq:4.10-management',
      'rabbitmq:4.9-management',
    ];

    expect(newestManagementImage(images.map((tag) => ({ RepoTags: [tag] })))).toBe(
      'rabbitmq:4.10-management',
    );
  });

  it('takes any of the tags of an image, and an exact version over its prefix', () => {
    const images = [
      { RepoTags: ['mine:1', 'rabbitmq:4-management'] },
      { RepoTags: ['rabbitmq:3.13.7-management'] },
      { RepoTags: ['rabbitmq:4.0-management'] },
      { RepoTags: ['rabbitmq:4.0.5-management'] },
    ];

    expect(newestManagementImage(images)).toBe('rabbitmq:4.0.5-management');
  });

  it('gives nothing when there is none: without management, of others, without a tag', () => {
    const images = [
      {
        RepoTags: ['rabbitmq:4.3', 'bitnami/rabbitmq:4.3-management', 'rabbitmq:latest-management'],
      },
      { RepoTags: null },
      {},
    ];

    expect(newestManagementImage(images)).toBeUndefined();
    expect(newestManagementImage([])).toBeUndefined();
  });
});

describe('daemonReason', () => {
  it.each([
    ['ENOENT', 'no Docker here (/run/d.sock does not exist)'],
    ['EACCES', 'no permission to use Docker (/run/d.sock); is this user in the group docker?'],
    ['ECONNREFUSED', 'the Docker daemon is not running (nobody listens on /run/d.sock)'],
    ['EIO', 'Docker does not answer (EIO)'],
    [undefined, 'Docker does not answer (no working container runtime)'],
  ])('says of %s: %s', (code, reason) => {
    expect(daemonReason(code, '/run/d.sock')).toBe(reason);
  });
});
