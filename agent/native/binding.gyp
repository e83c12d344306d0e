{
  'targets': [
    {
      'target_name': 'icmp_socket',
      'sources': ['src/module.c', 'src/open.c', 'src/packets.c', 'src/clock.c'],
      'defines': ['_DEFAULT_SOURCE'],
      'cflags': ['-std=c11', '-Wall', '-Wextra', '-fvisibility=hidden'],
    },
  ],
}
