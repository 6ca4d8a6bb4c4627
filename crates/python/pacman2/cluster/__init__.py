"""Arenas and training runs whose games are played by the nodes of a Ray cluster.

    python -m pacman2.cluster arena run --arena arena --address auto --maps 50

takes the options of ``pacman2 arena run``, ``compare``, ``gate`` and ``tournament``, and of
``pacman2 train``. One process, the coordinator, is the program ``pacman2`` itself: it keeps the store,
decides which games are next, and records them. The driver hands its jobs to Ray in blocks that take
seconds, each task runs ``pacman2 jobs play`` on its node, and the driver hands the results back.
However a run ends, the same command continues it.

A node needs Ray and this package as a wheel, which contains the program. ``docs/SCALE.md`` describes
the cluster, its costs and its limits.
"""
