package main

import (
	"context"
	"errors"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	clientcache "k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func startInformer(s *stage, informer clientcache.SharedIndexInformer, w *witness) error {
	if _, err := informer.AddEventHandler(w.handler()); err != nil {
		return err
	}
	go informer.Run(s.ctx.Done())
	return s.await("the sync of "+w.name, func() (bool, error) { return informer.HasSynced(), nil })
}

func startsADynamicInformer(s *stage) error {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(s.dynamic, 0, s.namespace, nil)
	return startInformer(s, factory.ForResource(operationsResource).Informer(),
		s.newWitness("dynamic shared informer"))
}

func startsAMetadataInformer(s *stage) error {
	client, err := metadata.NewForConfig(s.config)
	if err != nil {
		return err
	}
	factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, s.namespace, nil)
	return startInformer(s, factory.ForResource(operationsResource).Informer(),
		s.newWitness("metadata shared informer"))
}

// A watch that resumes by resourceVersion for itself, and never lists.
func startsARetryWatcher(s *stage) error {
	list, err := s.operations.List(s.ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	watcher, err := watchtools.NewRetryWatcherWithContext(s.ctx, list.GetResourceVersion(),
		&clientcache.ListWatch{
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				return s.operations.Watch(ctx, o)
			}})
	if err != nil {
		return err
	}
	w := s.newWitness("retry watcher")
	for i := range list.Items {
		w.saw(&list.Items[i])
	}
	go func() {
		for event := range watcher.ResultChan() {
			switch event.Type {
			case watch.Added, watch.Modified:
				w.saw(event.Object)
			case watch.Deleted:
				w.sawEnd(event.Object)
			}
		}
	}()
	return nil
}

// The cache that controllers read from, of whole objects and of their metadata.
func startsControllerRuntimeCaches(s *stage) error {
	caches, err := ctrlcache.New(s.config, ctrlcache.Options{
		Scheme:            runtime.NewScheme(),
		DefaultNamespaces: map[string]ctrlcache.Config{s.namespace: {}}})
	if err != nil {
		return err
	}
	go func() { _ = caches.Start(s.ctx) }()
	whole := &unstructured.Unstructured{}
	whole.SetGroupVersionKind(operationKind)
	partial := &metav1.PartialObjectMetadata{}
	partial.SetGroupVersionKind(operationKind)
	for _, each := range []struct {
		name   string
		object client.Object
	}{{"controller-runtime cache", whole}, {"controller-runtime metadata cache", partial}} {
		informer, err := caches.GetInformer(s.ctx, each.object)
		if err != nil {
			return err
		}
		if _, err := informer.AddEventHandler(s.newWitness(each.name).handler()); err != nil {
			return err
		}
	}
	if !caches.WaitForCacheSync(s.ctx) {
		return errors.New("the caches do not sync")
	}
	return nil
}
