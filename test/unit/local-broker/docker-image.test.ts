import { describe, expect, it } from 'vitest';
import {
  daemonReason,
  isOwnHost,
  newestManagementImage,
} from '../../../infra/local/broker/docker-image.ts';

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

describe('isOwnHost', () => {
  const own = ['127.0.0.1', '192.0.2.2', '172.17.0.1'];

  it.each(['localhost', '127.0.0.1', '::1'])('takes %s for this machine', (host) => {
    expect(isOwnHost(host, [])).toBe(true);
  });

  it('takes the gateway of a daemon that runs beside us in a container for this machine', () => {
    expect(isOwnHost('172.17.0.1', own)).toBe(true);
  });

  it('takes a gateway that is no address of ours, or a daemon elsewhere, for another machine', () => {
    expect(isOwnHost('172.18.0.1', own)).toBe(false);
    expect(isOwnHost('docker.example.com', own)).toBe(false);
  });
});
